// The calls that an official client makes of `entracte mcp`, whose program and arguments are those of the process.
// The client itself checks each result against the schema that the tool declares.
export async function run(Client, StdioClientTransport) {
  const [command, ...args] = process.argv.slice(2);
  const env = { ...process.env };
  const client = new Client({ name: "official", version: "1" });
  await client.connect(new StdioClientTransport({ command, args, env }));
  const { tools } = await client.listTools();
  const call = async (name, args) => {
    const { structuredContent, content, isError } = await client.callTool({ name, arguments: args });
    return { structuredContent, text: content[0].text, isError: isError === true };
  };
  const results = [
    await call("zones_create", { name: "Health" }),
    await call("zones_list", {}),
    await call("zones_create", { nam: "wrong" }),
  ];
  const zone = results[1].structuredContent.result.zones[0].id;
  results.push(await call("zones_delete", { zone_id: zone }));
  await client.close();
  console.log(JSON.stringify({ schemas: tools.filter((tool) => tool.outputSchema).length, tools: tools.length, results }));
}
