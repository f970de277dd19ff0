import { type Database, isId } from '../../../../kernel/db/index.ts'
import { endpoint, NotFound, Path, Ref, reply } from '../../../../kernel/http/index.ts'
import { type ResolveTxt, TxtLookupFailed } from '../../../../kernel/net/index.ts'
import { domainProof, isProven } from '../domain-proof.ts'
import { claimDomainCheck, findClaimOfOrg, findVerifiedDomain, updateVerified } from '../domain-store.ts'
import { ClaimedDomain, claimedDomainResource } from '../model.ts'
import {
  ClaimedDomainNotFound,
  DomainLookupFailed,
  DomainNotVerified,
  DomainTaken,
  TooManyVerifications,
} from '../problems.ts'

const windowMs = 60_000
/** Lookups of one organization within the window. */
const lookupsMax = 10

export const verifyClaimedDomain = endpoint({
  id: 'verifyClaimedDomain',
  method: 'POST',
  path: '/orgs/{orgId}/claimed-domains/{claimedDomainId}:verify',
  access: 'owner',
  summary: 'Verify a claimed domain by its DNS record.',
  description:
    'Looks up the TXT record in `verification` of the claim. The claim takes effect when the record is found. It remains verified if you remove the record later. Call it at most once a minute per claim.',
  tag: 'Organizations',
  extension: true,
  params: Path({ orgId: Ref, claimedDomainId: Ref }),
  reply: { 200: ClaimedDomain },
  problems: [NotFound, ClaimedDomainNotFound, DomainTaken, DomainNotVerified, DomainLookupFailed, TooManyVerifications],
  run: async (
    { org, params: { claimedDomainId } },
    { database, now, resolveTxt }: { database: Database; now: () => Date; resolveTxt: ResolveTxt },
  ) => {
    const { system } = database
    const claim = isId(claimedDomainId) ? await findClaimOfOrg(system, org.id, claimedDomainId) : undefined
    if (!claim) throw new ClaimedDomainNotFound()
    if (claim.verify_time) return reply(200, claimedDomainResource(claim, { isOwner: true }))
    if (await findVerifiedDomain(system, claim.domain)) throw new DomainTaken()
    const at = now()
    const since = new Date(at.getTime() - windowMs)
    if (!(await claimDomainCheck(system, claim, { now: at, since, most: lookupsMax })))
      throw new TooManyVerifications({ retryAfter: new Date(at.getTime() + windowMs) })

    const proof = domainProof(claim)
    const values = await resolveTxt(proof.recordName).catch((error: unknown) => {
      if (!(error instanceof TxtLookupFailed)) throw error
      throw new DomainLookupFailed({
        detail: `The TXT record at ${proof.recordName} could not be looked up: ${error.message}.`,
        cause: error,
      })
    })
    if (!isProven(proof, values))
      throw new DomainNotVerified({
        detail: notProven(proof.recordName, values.length),
        remedy: `Publish a TXT record at ${proof.recordName} with the value ${proof.recordValue}, then verify again. A new record can take an hour to be visible.`,
      })
    const verified = await updateVerified(system, claim.id, now()).catch((error: { code?: string }) => {
      throw error.code === '23505' ? new DomainTaken({ cause: error }) : error
    })
    if (!verified) throw new ClaimedDomainNotFound()
    return reply(200, claimedDomainResource(verified, { isOwner: true }))
  },
})

function notProven(name: string, found: number): string {
  if (found === 0) return `There is no TXT record at ${name}.`
  return found === 1
    ? `The TXT record at ${name} has another value.`
    : `The ${found} TXT records at ${name} have other values.`
}
