type Capability = 'read' | 'write' | 'delete' | 'search' | 'subscribe' | 'proxy'
type Capabilities = Record<Capability, boolean>

/** What can be done at a provider, in the order of the pages, with the words for it. */
export const capabilities: Readonly<Record<Capability, string>> = {
  read: 'Read records',
  write: 'Create and update records',
  delete: 'Delete records',
  search: 'Search records',
  subscribe: 'Subscribe to changes',
  proxy: 'Proxy requests',
}
export const capabilityKeys = Object.keys(capabilities) as Capability[]

/** Names the capabilities that are true: `read, write, proxy`. Empty when none is. */
export function capabilityList(of: Capabilities): string {
  return capabilityKeys.filter((key) => of[key]).join(', ')
}
