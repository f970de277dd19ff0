/** Addresses below a project. Refs are the builder's texts, and may have any character. */
export const paths = {
  customer: (groupRef: string) => `customers/${encodeURIComponent(groupRef)}`,
  installation: (integrationId: string, installationId: string) => `installations/${integrationId}/${installationId}`,
  connection: (connectionId: string) => `connections/${connectionId}`,
  operation: (operationId: string) => `operations/${operationId}`,
  destination: (idOrName: string) => `destinations/${encodeURIComponent(idOrName)}`,
  integration: (idOrName: string) => `integrations/${encodeURIComponent(idOrName)}`,
  revisions: (integrationIdOrName: string) => `integrations/${encodeURIComponent(integrationIdOrName)}/revisions`,
  providerApps: (provider: string) => `providers/${encodeURIComponent(provider)}/apps`,
  provider: (name: string) => `providers/${encodeURIComponent(name)}`,
}
