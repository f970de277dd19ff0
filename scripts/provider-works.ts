import type { ProviderEntry } from '../packages/providers/src/index.ts'

export const capabilities = ['read', 'write', 'delete', 'proxy', 'subscribe', 'search'] as const
type Capabilities = Pick<ProviderEntry['support'], (typeof capabilities)[number]>

/** What can be used: what this release does there, as far as manifests may ask for it. They are judged by `support`. */
export function works({ support, implemented }: { support: Capabilities; implemented: Capabilities }): Capabilities {
  const both = capabilities.map((name) => [name, support[name] && implemented[name]] as const)
  return Object.fromEntries(both) as unknown as Capabilities
}

/** The capabilities that are there, in words; empty when none is. */
export function capabilityNames(of: Capabilities): string {
  return capabilities.filter((name) => of[name]).join(', ')
}
