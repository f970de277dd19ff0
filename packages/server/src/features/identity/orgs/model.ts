import type { Selectable } from 'kysely'
import { type Static, Type } from 'typebox'
import type { Tables } from '../../../kernel/db/index.ts'
import { Enum, named, type OrgRole, orgRoles, Timestamp } from '../../../kernel/http/index.ts'
import { type OrgRow, roleOf } from '../projects/index.ts'
import { domainProof } from './domain-proof.ts'

export type BuilderRow = Selectable<Tables['builders']>
export type InviteRow = Selectable<Tables['invites']>
export type ClaimedDomainRow = Selectable<Tables['claimed_domains']>

/** A role as requests name it: `member` is what clients of earlier releases call a developer. */
export const RequestedRole = (options: { description: string; default?: OrgRole }) =>
  Enum([...orgRoles, 'member'], {
    ...options,
    description: `${options.description} \`member\`, of earlier releases, is \`developer\`.`,
  })

/** Returns the role that a request names. */
export function requestedRole(role: OrgRole | 'member'): OrgRole {
  return role === 'member' ? 'developer' : role
}

/** Returns a role with its article, as in "as an owner". */
export function roleWithArticle(role: OrgRole): string {
  return `${/^[aeiou]/.test(role) ? 'an' : 'a'} ${role}`
}

export const Org = named(
  'Org',
  Type.Object({
    id: Type.String({ description: 'Id of the organization.' }),
    label: Type.String({ description: 'Its name, as people see it.' }),
    defaultTeamId: Type.String({ description: 'The team of all members of the organization.' }),
    requireSecondFactor: Type.Optional(
      Type.Boolean({
        description: 'Whether members need a second factor. Single sign-on is exempt. An extension.',
      }),
    ),
    createTime: Timestamp,
    updateTime: Type.Optional(Timestamp),
  }),
)
export type Org = Static<typeof Org>

export const Builder = named(
  'Builder',
  Type.Object({
    id: Type.String({ description: 'Id of the builder.' }),
    idpProvider: Type.String({ description: 'Who authenticates the person: `mortise`, or an identity provider.' }),
    idpRef: Type.String({ description: 'That provider’s id of the person.' }),
    firstName: Type.Optional(Type.String({ description: 'First name, if known.' })),
    lastName: Type.Optional(Type.String({ description: 'Last name, if known.' })),
    fullName: Type.Optional(Type.String({ description: 'Full name, if known.' })),
    primaryEmail: Type.Optional(Type.String({ description: 'Email address that the person signs in with.' })),
    role: Type.Optional(Enum([...orgRoles], { description: 'Role in the organization, if the request names one.' })),
    createTime: Timestamp,
  }),
)
export type Builder = Static<typeof Builder>

const inviteStatuses = ['pending', 'accepted', 'revoked', 'expired'] as const
export type InviteStatus = (typeof inviteStatuses)[number]

export const Invite = named(
  'Invite',
  Type.Object({
    id: Type.String({ description: 'Id of the invite.' }),
    invitedEmail: Type.String({ description: 'The invited email address, in lowercase.' }),
    parentType: Enum(['org'], { description: 'What the invite is to.' }),
    parentId: Type.String({ description: 'Id of the organization.' }),
    role: Type.Optional(Enum([...orgRoles], { description: 'Role that the person gets. An extension.' })),
    status: Enum([...inviteStatuses], { description: 'A pending invite expires 14 days after its creation.' }),
    createTime: Timestamp,
    updateTime: Type.Optional(Timestamp),
  }),
)
export type Invite = Static<typeof Invite>

export const ClaimedDomain = named(
  'ClaimedDomainResponse',
  Type.Object({
    id: Type.String({ description: 'Id of the claim.' }),
    parentType: Type.String({ description: '`org`.' }),
    parentId: Type.String({ description: 'Id of the organization that claimed the domain.' }),
    domain: Type.String({ description: 'The domain, in lowercase and without `www.`.' }),
    status: Enum(['pending', 'verified'], {
      description: 'A pending claim has no effect until its DNS record is verified.',
    }),
    verification: Type.Optional(
      Type.Object(
        {
          recordType: Enum(['TXT'], { description: 'Type of the DNS record.' }),
          recordName: Type.String({ description: 'Full name of the DNS record.' }),
          recordValue: Type.String({ description: 'Value of the DNS record.' }),
        },
        { description: 'The DNS record that proves the claim. Shown to owners.' },
      ),
    ),
    createTime: Timestamp,
    verifyTime: Type.Optional(Timestamp),
  }),
)
export type ClaimedDomain = Static<typeof ClaimedDomain>

/** How long an invite can be accepted. */
export const inviteLifeMs = 14 * 24 * 60 * 60 * 1_000

/** An invite ages out by the clock: no job has to have run for it to be expired. */
export function inviteStatus(row: Pick<InviteRow, 'status' | 'expire_time'>, now: Date): InviteStatus {
  return row.status === 'pending' && row.expire_time <= now ? 'expired' : row.status
}

export function orgResource(row: OrgRow): Org {
  return {
    id: row.id,
    label: row.label,
    defaultTeamId: row.default_team_id,
    requireSecondFactor: row.require_second_factor,
    createTime: row.create_time,
    ...(row.update_time && { updateTime: row.update_time }),
  }
}

/** The builder as answers show them: never the password. */
export function builderResource(row: BuilderRow): Builder {
  return {
    id: row.id,
    idpProvider: row.idp_provider,
    idpRef: row.idp_ref,
    ...(row.first_name !== null && { firstName: row.first_name }),
    ...(row.last_name !== null && { lastName: row.last_name }),
    ...(row.full_name !== null && { fullName: row.full_name }),
    primaryEmail: row.email,
    createTime: row.create_time,
  }
}

export function inviteResource(row: InviteRow, now: Date): Invite {
  return {
    id: row.id,
    invitedEmail: row.invited_email,
    parentType: 'org',
    parentId: row.org_id,
    role: roleOf(row),
    status: inviteStatus(row, now),
    createTime: row.create_time,
    ...(row.update_time && { updateTime: row.update_time }),
  }
}

export function claimedDomainResource(row: ClaimedDomainRow, { isOwner }: { isOwner: boolean }): ClaimedDomain {
  return {
    id: row.id,
    parentType: 'org',
    parentId: row.org_id,
    domain: row.domain,
    status: row.verify_time ? 'verified' : 'pending',
    ...(isOwner && { verification: domainProof(row) }),
    createTime: row.create_time,
    ...(row.verify_time && { verifyTime: row.verify_time }),
  }
}
