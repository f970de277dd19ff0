import { problem } from '../../../kernel/http/index.ts'

const subsystem = 'orgs'

export const InviteNotFound = problem({
  code: 'invite-not-found',
  status: 404,
  title: 'Invite not found',
  detail: 'The organization has no invite with this id.',
  remedy: 'List the invites of the organization to find its id.',
  retryable: false,
  subsystem,
})

export const NothingToAccept = problem({
  code: 'nothing-to-accept',
  status: 404,
  title: 'No invite to accept',
  detail: 'There is no pending invite for your email address.',
  remedy: 'Ask an owner of the organization to invite you. An invite expires after 14 days.',
  retryable: false,
  subsystem,
})

export const BuilderNotFound = problem({
  code: 'builder-not-found',
  status: 404,
  title: 'Builder not found',
  detail: 'There is no builder with this id.',
  remedy: 'Invite the person by email address, or check the id: GET /my-info shows it to them.',
  retryable: false,
  subsystem,
})

export const AddressNotVerified = problem({
  code: 'address-not-verified',
  status: 403,
  title: 'Your email address is not verified',
  detail:
    'Your account was created without proof that the email address is yours, so the address alone gives no access.',
  remedy: 'Open the link of an invite, use single sign-on, or ask an owner to add you by your builder id.',
  retryable: false,
  subsystem,
})

export const DomainTaken = problem({
  code: 'domain-taken',
  status: 409,
  title: 'The domain is already claimed',
  detail: 'Your organization has already claimed this domain, or another one has verified it.',
  remedy:
    'List the claimed domains of your organization. If the domain is not there, ask the operator of this service.',
  retryable: false,
  subsystem,
})

export const DomainNotVerified = problem({
  code: 'domain-not-verified',
  status: 409,
  title: 'The domain is not verified',
  detail: 'We did not find the DNS record that proves the claim.',
  remedy: 'Publish the TXT record that `verification` of the claim shows, then verify again.',
  retryable: true,
  subsystem,
})

export const DomainLookupFailed = problem({
  code: 'domain-lookup-failed',
  status: 502,
  title: 'The DNS lookup failed',
  detail: 'We could not look up the DNS record that proves the claim.',
  remedy: 'Check the name servers of the domain, then verify again.',
  retryable: true,
  subsystem,
})

export const TooManyVerifications = problem({
  code: 'too-many-verifications',
  status: 429,
  title: 'Too many verifications',
  detail: 'You can verify a claim once a minute, and ten claims of an organization a minute.',
  remedy: 'Wait until the time in `retryAfter`, then verify again.',
  retryable: true,
  subsystem,
})

export const ClaimedDomainNotFound = problem({
  code: 'claimed-domain-not-found',
  status: 404,
  title: 'Claimed domain not found',
  detail: 'There is no such claim, or you may not see it.',
  remedy: 'Use the domain of your email address, or ask an owner of the organization that claimed it.',
  retryable: false,
  subsystem,
})

export const MemberNotFound = problem({
  code: 'member-not-found',
  status: 404,
  title: 'Member not found',
  detail: 'The organization has no member with this builder id.',
  remedy: 'List the builders of the organization to find the id.',
  retryable: false,
  subsystem,
})

export const LastOwner = problem({
  code: 'last-owner',
  status: 409,
  title: 'This is the last owner',
  detail: 'The organization needs at least one owner.',
  remedy: 'Give another member the role `owner` first.',
  retryable: false,
  subsystem,
})

export const RemovedFromOrg = problem({
  code: 'removed-from-org',
  status: 403,
  title: 'You were removed from the organization',
  detail: 'An owner removed you, so you can no longer join by your email domain.',
  remedy: 'Ask an owner to invite you or to add you by your builder id.',
  retryable: false,
  subsystem,
})
