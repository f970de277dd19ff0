import type { Item } from '@mortise/client'
import { NotFound } from '../service/not-found.ts'
import { orgOf } from './org-of.ts'
import { all, type ResourceCall, resource, timeText } from './resource.ts'

export const orgs = resource<never>({
  name: 'orgs',
  one: 'org',
  columns: [],
  get: { read: ({ mortise, signal }, orgId) => mortise.getOrg({ orgId }, { signal }) },
})

/** Finds a member of the organization by mail address or builder id. @throws NotFound */
export async function memberOf(call: ResourceCall, emailOrId: string): Promise<{ orgId: string; builderId: string }> {
  const orgId = await orgOf(call)
  const wanted = emailOrId.toLowerCase()
  const members = await call.mortise.listOrgBuilders({ orgId }, { signal: call.signal })
  const found = members.find(({ id, primaryEmail }) => id === wanted || primaryEmail === wanted)
  if (!found)
    throw new NotFound(`${emailOrId} is not a member of the organization. \`mortise list builders\` shows its members.`)
  return { orgId, builderId: found.id }
}

export const builders = resource<Item<'listOrgBuilders'>>({
  name: 'builders',
  one: 'builder',
  columns: [
    ['Email', ({ primaryEmail }) => primaryEmail],
    ['Name', ({ fullName }) => fullName],
    ['Role', ({ role }) => role],
    ['Id', ({ id }) => id],
    ['Created', ({ createTime }) => timeText(createTime)],
  ],
  list: {
    takes: ['org'],
    async *rows(call) {
      yield* all(call.mortise.listOrgBuilders({ orgId: await orgOf(call) }, { signal: call.signal }))
    },
  },
  delete: {
    takes: ['org'],
    run: async (call, emailOrId) => {
      await call.mortise.deleteOrgBuilder(await memberOf(call, emailOrId), { signal: call.signal })
    },
  },
})

export const invites = resource<Item<'listOrgInvites'>>({
  name: 'invites',
  one: 'invite',
  columns: [
    ['Email', ({ invitedEmail }) => invitedEmail],
    ['Role', ({ role }) => role ?? ''],
    ['Status', ({ status }) => status],
    ['Id', ({ id }) => id],
    ['Created', ({ createTime }) => timeText(createTime)],
  ],
  list: {
    takes: ['org'],
    async *rows(call) {
      yield* all(call.mortise.listOrgInvites({ orgId: await orgOf(call) }, { signal: call.signal }))
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
