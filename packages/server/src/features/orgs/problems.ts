import { problem } from '../../kernel/http/index.ts'

const subsystem = 'orgs'

export const InviteNotFound = problem({
  code: 'invite-not-found',
  status: 404,
  title: 'No such invite',
  detail: 'The organisation has no invite of this id.',
  remedy: 'List the invites of the organisation to see their ids.',
  retryable: false,
  subsystem,
})

export const NothingToAccept = problem({
  code: 'nothing-to-accept',
  status: 404,
  title: 'There is no invite to accept',
  detail: 'No pending invite waits for your address.',
  remedy: 'Ask an owner of the organisation to invite you; an invite expires after 14 days.',
  retryable: false,
  subsystem,
})

export const BuilderNotFound = problem({
  code: 'builder-not-found',
  status: 404,
  title: 'No such builder',
  detail: 'There is no builder of this id.',
  remedy: 'Invite the person by mail address instead, or check the id that GET /my-info tells them.',
  retryable: false,
  subsystem,
})

export const AddressNotVerified = problem({
  code: 'address-not-verified',
  status: 403,
  title: 'Your mail address is not verified',
  detail: 'Your account was made without proof that the mail address is yours, so the address alone opens nothing.',
  remedy: 'Open the link of an invite, sign in through single sign-on, or ask an owner to add you by your builder id.',
  retryable: false,
  subsystem,
})

export const DomainTaken = problem({
  code: 'domain-taken',
  status: 409,
  title: 'The domain is claimed',
  detail: 'Your organization has claimed this domain already, or another one has verified it.',
  remedy:
    'List the claimed domains of your organization. If yours is not among them, ask the operator of this service.',
  retryable: false,
  subsystem,
})

export const DomainNotVerified = problem({
  code: 'domain-not-verified',
  status: 409,
  title: 'The domain is not verified',
  detail: 'The DNS record that proves the claim was not found.',
  remedy: 'Publish the TXT record that `verification` of the claim shows, then verify again.',
  retryable: true,
  subsystem,
})

export const DomainLookupFailed = problem({
  code: 'domain-lookup-failed',
  status: 502,
  title: 'The DNS lookup failed',
  detail: 'The DNS record that proves the claim could not be looked up.',
  remedy: 'Check the name servers of the domain, then verify again.',
  retryable: true,
  subsystem,
})

export const TooManyVerifications = problem({
  code: 'too-many-verifications',
  status: 429,
  title: 'Too many verifications',
  detail: 'A claim is looked up once a minute, and ten claims of an organization are.',
  remedy: 'Wait until the time in `retryAfter`, then verify again.',
  retryable: true,
  subsystem,
})

export const ClaimedDomainNotFound = problem({
  code: 'claimed-domain-not-found',
  status: 404,
  title: 'No such claimed domain',
  detail: 'There is no such claim that you may see.',
  remedy: 'Ask with the domain of your own mail address, or as an owner of the organization that claimed it.',
  retryable: false,
  subsystem,
})

export const MemberNotFound = problem({
  code: 'member-not-found',
  status: 404,
  title: 'No such member',
  detail: 'No member of the organization has this builder id.',
  remedy: 'List the builders of the organization to see their ids.',
  retryable: false,
  subsystem,
})

export const LastOwner = problem({
  code: 'last-owner',
  status: 409,
  title: 'This is the last owner',
  detail: 'The organization has no other owner, and it must keep one.',
  remedy: 'Give another member the role `owner` first.',
  retryable: false,
  subsystem,
})

export const RemovedFromOrg = problem({
  code: 'removed-from-org',
  status: 403,
  title: 'You were removed from the organization',
  detail: 'An owner removed you, so your mail domain no longer lets you join.',
  remedy: 'Ask an owner to invite you or to add you by your builder id.',
  retryable: false,
  subsystem,
})
