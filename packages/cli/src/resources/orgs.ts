import type { Item } from '@mortise/client'
import { type ResourceCall, resource, timeText, whole } from './resource.ts'

/** The organisation that is named, else that of the project. */
async function orgOf({ mortise, signal, options }: ResourceCall): Promise<string> {
  return options.org ?? (await mortise.getProject({}, { signal })).orgId
}

export const orgs = resource<never>({
  name: 'orgs',
  one: 'org',
  columns: [],
  get: { read: ({ mortise, signal }, orgId) => mortise.getOrg({ orgId }, { signal }) },
})

export const builders = resource<Item<'listOrgBuilders'>>({
  name: 'builders',
  one: 'builder',
  columns: [
    ['Email', ({ primaryEmail }) => primaryEmail],
    ['Name', ({ fullName }) => fullName],
    ['Id', ({ id }) => id],
    ['Created', ({ createTime }) => timeText(createTime)],
  ],
  list: {
    takes: ['org'],
    async *rows(call) {
      yield* whole(call.mortise.listOrgBuilders({ orgId: await orgOf(call) }, { signal: call.signal }))
    },
  },
})

export const invites = resource<Item<'listOrgInvites'>>({
  name: 'invites',
  one: 'invite',
  columns: [
    ['Email', ({ invitedEmail }) => invitedEmail],
    ['Status', ({ status }) => status],
    ['Id', ({ id }) => id],
    ['Created', ({ createTime }) => timeText(createTime)],
  ],
  list: {
    takes: ['org'],
    async *rows(call) {
      yield* whole(call.mortise.listOrgInvites({ orgId: await orgOf(call) }, { signal: call.signal }))
    },
  },
  get: {
    takes: ['org'],
    read: async (call, inviteId) =>
      await call.mortise.getOrgInvite({ orgId: await orgOf(call), inviteId }, { signal: call.signal }),
  },
  delete: {
    takes: ['org'],
    run: async (call, inviteId) =>
      await call.mortise.deleteOrgInvite({ orgId: await orgOf(call), inviteId }, { signal: call.signal }),
  },
})

export const domains = resource<Item<'listOrgClaimedDomains'>>({
  name: 'claimed-domains',
  one: 'claimed-domain',
  columns: [
    ['Domain', ({ domain }) => domain],
    ['Id', ({ id }) => id],
  ],
  list: {
    takes: ['org'],
    async *rows(call) {
      yield* whole(call.mortise.listOrgClaimedDomains({ orgId: await orgOf(call) }, { signal: call.signal }))
    },
  },
})
