// A page of CopilotKit whose agent is the server's AG-UI endpoint.

import { HttpAgent } from "@ag-ui/client";
import { CopilotChat, CopilotKitProvider, useInterrupt } from "@copilotkit/react-core/v2";
import { createRoot } from "react-dom/client";

const agent = new HttpAgent({ url: "/v1/workspaces/local:main/agui" });

/** Asks the person for the decision that the run waits for. */
const Interrupts = () => {
  useInterrupt({
    render: ({ interrupt, resolve }) => (
      <div data-testid="card">
        <p>{interrupt?.message}</p>
        <code>{interrupt?.metadata?.entracte?.card?.command}</code>
        <button onClick={() => resolve({ approved: true })}>Approve it</button>
      </div>
    ),
  });
  return null;
};

createRoot(document.getElementById("root")).render(
  <CopilotKitProvider selfManagedAgents={{ default: agent }}>
    <Interrupts />
    <CopilotChat />
  </CopilotKitProvider>,
);
