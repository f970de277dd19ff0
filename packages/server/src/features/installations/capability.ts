import type { IntegrationContent } from '@mortise/manifest'
import type { Capabilities, ProviderEntry } from '@mortise/providers'
import type { ConfigContent } from './content.ts'
import type { EffectiveReadObject } from './effective.ts'
import { CapabilityNotImplemented } from './problems.ts'

/**
 * Refuses to install what nothing here can do at the provider: a read, write or subscribe object, or a proxy that would be all there is.
 *
 * @throws CapabilityNotImplemented
 */
export function assertImplemented(
  entry: ProviderEntry | undefined,
  integration: IntegrationContent,
  content: ConfigContent,
  reads: Map<string, EffectiveReadObject>,
): void {
  const implemented = implementedBy(entry, integration.module)
  const { provider } = integration
  if (!implemented || !Object.values(implemented).some(Boolean))
    throw new CapabilityNotImplemented({
      detail: `There is no connector for the provider ${provider} here, so it cannot be installed.`,
    })
  const wanted = {
    read: reads.size > 0,
    write: hasObjects(content.write),
    subscribe: hasObjects(content.subscribe),
    proxy: content.proxy?.enabled === true && reads.size === 0,
  }
  const missing = (Object.keys(wanted) as (keyof typeof wanted)[]).filter((name) => wanted[name] && !implemented[name])
  if (missing.length > 0)
    throw new CapabilityNotImplemented({
      detail: `The connector for ${provider} cannot do this yet: ${missing.join(', ')}.`,
      remedy: `Leave ${missing.join(' and ')} out of the config.`,
      context: { capabilities: missing },
    })
}

function implementedBy(entry: ProviderEntry | undefined, module: string | undefined): Capabilities | undefined {
  const modules = entry?.modules ?? {}
  return module !== undefined && Object.hasOwn(modules, module) ? modules[module]?.implemented : entry?.implemented
}

function hasObjects(action: { objects?: Record<string, unknown> } | undefined): boolean {
  return Object.keys(action?.objects ?? {}).length > 0
}
