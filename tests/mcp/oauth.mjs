// A remote MCP server with logins, made of the SDK's own parts: its authorization router over its demo provider, its
// bearer check, its transport. Tests set how it behaves with POST /control, and read with GET /seen what it saw.

import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import express from 'express';
import * as z from 'zod/v4';
import { DemoInMemoryAuthProvider } from '@modelcontextprotocol/sdk/examples/server/demoInMemoryOAuthProvider.js';
import { InvalidGrantError, InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js';
import { createOAuthMetadata, getOAuthProtectedResourceMetadataUrl, mcpAuthRouter }
    from '@modelcontextprotocol/sdk/server/auth/router.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

const seen = [], elsewhere = [], secrets = [], notes = [];
let mode = {};

// The demo has no renewals and no revocation; the rest is its own.
class Provider extends DemoInMemoryAuthProvider {
    constructor() {
        super((resource) => resource?.href === server.href);
        this.renewers = new Map();
        this.grants = this.clientsStore;
    }
    async exchangeAuthorizationCode(client, code, verifier) {
        secrets.push(code);
        return this.renewable(client, await super.exchangeAuthorizationCode(client, code, verifier));
    }
    async exchangeRefreshToken(client, renewer, scopes, resource) {
        const known = this.renewers.get(renewer);
        if (mode.refuseRefresh || known !== client.client_id || resource?.href !== server.href) {
            throw new InvalidGrantError(`no such refresh token: ${renewer}`);
        }
        // Each renews once.
        this.renewers.delete(renewer);
        const token = randomUUID();
        this.tokens.set(token, { token, clientId: client.client_id, scopes: scopes ?? [], expiresAt: Date.now() + 3600_000, resource });
        return this.renewable(client, { access_token: token, token_type: 'bearer', expires_in: 3600, scope: scopes?.join(' ') });
    }
    renewable(client, tokens) {
        const renewer = randomUUID();
        this.renewers.set(renewer, client.client_id);
        secrets.push(tokens.access_token, renewer);
        return { ...tokens, expires_in: mode.lifetime ?? tokens.expires_in, refresh_token: renewer };
    }
    async revokeToken(client, { token }) {
        this.renewers.delete(token);
        this.tokens.delete(token);
    }
    async verifyAccessToken(token) {
        if (!this.tokens.has(token)) throw new InvalidTokenError('unknown');
        return super.verifyAccessToken(token);
    }
}

const listen = (app) => new Promise((resolve) => { const s = createServer(app).listen(0, '127.0.0.1', () => resolve(s)); });
const app = express();
const base = `http://127.0.0.1:${(await listen(app)).address().port}`;
const server = new URL(`${base}/mcp`);

// Whatever arrives at the other host was led there.
const other = express();
other.use((req, res) => {
    elsewhere.push(`${req.method} ${req.path} ${req.headers.authorization ?? '-'}`);
    res.status(404).end();
});
const otherBase = `http://127.0.0.1:${(await listen(other)).address().port}`;

app.get('/seen', (_, res) => res.json({ seen, elsewhere, secrets, notes, other: otherBase }));
app.post('/control', express.json(), (req, res) => { mode = req.body; seen.length = 0; elsewhere.length = 0; res.json({}); });

const provider = new Provider();
const options = { provider, issuerUrl: new URL(base), scopesSupported: ['mcp:tools'], resourceServerUrl: server };
app.use((req, res, next) => {
    seen.push(`${req.method} ${req.path}`);
    if (mode.hold && req.path === '/token') return setTimeout(next, mode.hold);
    if (mode.redirect?.[req.path]) return res.redirect(307, mode.redirect[req.path]);
    if (mode.resource && req.path.startsWith('/.well-known/oauth-protected-resource')) {
        return res.json({ resource: server.href, authorization_servers: [`${base}/`], ...mode.resource });
    }
    if (mode.metadata && req.path.startsWith('/.well-known/oauth-authorization-server')) {
        return res.json({ ...createOAuthMetadata(options), ...mode.metadata });
    }
    next();
});
app.use(mcpAuthRouter({ ...options, tokenOptions: { rateLimit: false }, clientRegistrationOptions: { rateLimit: false },
    authorizationOptions: { rateLimit: false }, revocationOptions: { rateLimit: false } }));

const bearer = requireBearerAuth({
    verifier: provider, requiredScopes: ['mcp:tools'], resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(server),
});
app.all('/mcp', bearer, express.json(), async (req, res) => {
    if (req.method !== 'POST') return res.status(405).end();
    const mcp = new McpServer({ name: 'notes', version: '1.0.0' });
    mcp.registerTool('note', { description: 'Writes a note.', inputSchema: { text: z.string() } }, async ({ text }) => {
        notes.push(text);
        return { content: [{ type: 'text', text: `Noted ${text} for ${req.headers.authorization}` }] };
    });
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    await mcp.connect(transport);
    await transport.handleRequest(req, res, req.body);
});
console.log(base);
