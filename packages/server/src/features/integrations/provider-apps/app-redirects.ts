import { type Issue, keptSecretIssues } from '../../../kernel/http/index.ts'
import type { ProviderAppRow } from './model.ts'

type Receivers = Pick<ProviderAppRow, 'provider' | 'allowed_hosts'>

/**
 * Returns an issue if a change would send the stored client secret to another provider or to further hosts, and does
 * not contain it.
 */
export function appRedirectIssues(before: Receivers, after: Receivers, { hasSecret }: { hasSecret: boolean }): Issue[] {
  if (hasSecret) return []
  const allowed = before.allowed_hosts ?? []
  const further = (after.allowed_hosts ?? []).filter((host) => !isCovered(host, allowed))
  const isMoved = after.provider !== before.provider
  return keptSecretIssues([
    {
      path: 'providerApp.clientSecret',
      receivers: [after.provider, ...further],
      before: [before.provider],
      decidedBy: [
        ...(isMoved ? ['providerApp.provider'] : []),
        ...(further.length > 0 ? ['providerApp.allowedHosts'] : []),
      ],
    },
  ])
}

/** Whether the hosts include all that a pattern allows. */
function isCovered(pattern: string, hosts: readonly string[]): boolean {
  const name = pattern.replace(/^\*\./, '')
  return hosts.some((host) => host === pattern || (host.startsWith('*.') && name.endsWith(host.slice(1))))
}
