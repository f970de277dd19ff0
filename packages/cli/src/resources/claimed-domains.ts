import type { Item } from '@mortise/client'
import { UsageError } from '../usage-error.ts'
import { orgOf } from './org-of.ts'
import { all, type ResourceCall, resource } from './resource.ts'

export type ClaimedDomain = Item<'listOrgClaimedDomains'>

/** Finds a claim of the organization by its domain or id. @throws UsageError */
export async function claimOf(call: ResourceCall, domainOrId: string): Promise<ClaimedDomain> {
  const claims = await call.mortise.listOrgClaimedDomains({ orgId: await orgOf(call) }, { signal: call.signal })
  const wanted = domainOrId.toLowerCase()
  const found = claims.find(({ id, domain }) => id === wanted || domain === wanted)
  if (!found)
    throw new UsageError(
      `The organization has not claimed ${domainOrId}. \`mortise list claimed-domains\` shows its claims.`,
    )
  return found
}

/** Says which DNS record a pending claim still needs, and what to run then. */
export function proofText({ domain, verification }: ClaimedDomain): string {
  return [
    `Publish this DNS record to prove that ${domain} is yours:`,
    '',
    `  Name   ${verification?.recordName}`,
    `  Type   ${verification?.recordType}`,
    `  Value  ${verification?.recordValue}`,
    '',
    `Then run: mortise verify claimed-domain ${domain}`,
    '',
  ].join('\n')
}

export const claimedDomains = resource<ClaimedDomain>({
  name: 'claimed-domains',
  one: 'claimed-domain',
  columns: [
    ['Domain', ({ domain }) => domain],
    ['Status', ({ status }) => status],
    ['Id', ({ id }) => id],
  ],
  list: {
    takes: ['org'],
    async *rows(call) {
      yield* all(call.mortise.listOrgClaimedDomains({ orgId: await orgOf(call) }, { signal: call.signal }))
    },
  },
  get: { takes: ['org'], read: claimOf },
  delete: {
    takes: ['org'],
    run: async (call, domainOrId) => {
      const { parentId: orgId, id: claimedDomainId } = await claimOf(call, domainOrId)
      await call.mortise.deleteClaimedDomain({ orgId, claimedDomainId }, { signal: call.signal })
    },
  },
})
