import { sendInvite } from './jobs/send-invite.ts'
import { acceptInvite } from './operations/accept-invite.ts'
import { addUserToOrg } from './operations/add-user-to-org.ts'
import { checkClaimedDomain } from './operations/check-claimed-domain.ts'
import { claimDomain } from './operations/claim-domain.ts'
import { createOrg } from './operations/create-org.ts'
import { createOrgInvite } from './operations/create-org-invite.ts'
import { deleteClaimedDomain } from './operations/delete-claimed-domain.ts'
import { deleteOrgBuilder } from './operations/delete-org-builder.ts'
import { deleteOrgInvite } from './operations/delete-org-invite.ts'
import { getMyInfo } from './operations/get-my-info.ts'
import { getOrg } from './operations/get-org.ts'
import { getOrgInvite } from './operations/get-org-invite.ts'
import { listOrgBuilders } from './operations/list-org-builders.ts'
import { listOrgClaimedDomains } from './operations/list-org-claimed-domains.ts'
import { listOrgInvites } from './operations/list-org-invites.ts'
import { updateOrg } from './operations/update-org.ts'
import { updateOrgBuilder } from './operations/update-org-builder.ts'
import { verifyClaimedDomain } from './operations/verify-claimed-domain.ts'

export {
  acceptInviteByToken,
  acceptInvitesByEmail,
  findInviteByToken,
  type InviteRefusal,
  type ShownInvite,
} from './accept-invite.ts'
export { normaliseEmail } from './address.ts'
export { requireEmail } from './body.ts'
export {
  findBuilder,
  findBuilderByEmail,
  findBuilderByIdentity,
  insertBuilder,
  type NewBuilder,
  updateEmailVerified,
} from './builder-store.ts'
export { withMember } from './change-membership.ts'
export { createFindRole } from './find-role.ts'
export { joinByDomain, mayEnter } from './join-by-domain.ts'
export { mailFrom, sendMail } from './mail.ts'
export { findRoleInOrg, insertMembership, listMemberships } from './membership-store.ts'
export { Builder, type BuilderRow, builderResource } from './model.ts'
export { MemberNotFound } from './problems.ts'

export const orgsOperations = [
  createOrg,
  getOrg,
  updateOrg,
  listOrgBuilders,
  updateOrgBuilder,
  deleteOrgBuilder,
  createOrgInvite,
  listOrgInvites,
  getOrgInvite,
  deleteOrgInvite,
  addUserToOrg,
  getMyInfo,
  acceptInvite,
  checkClaimedDomain,
  claimDomain,
  listOrgClaimedDomains,
  verifyClaimedDomain,
  deleteClaimedDomain,
]
export const orgsJobs = [sendInvite]
