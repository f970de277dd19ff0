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
  detail: 'An organisation has claimed this domain already.',
  remedy:
    'Look at the claimed domains of your organisation; if yours is not among them, ask whoever runs this service.',
  retryable: false,
  subsystem,
})

export const ClaimedDomainNotFound = problem({
  code: 'claimed-domain-not-found',
  status: 404,
  title: 'No such claimed domain',
  detail: 'No organisation has claimed this domain, or it is not for you to see.',
  remedy: 'Ask with the domain of your own mail address, or as an owner of the organisation that claimed it.',
  retryable: false,
  subsystem,
})
