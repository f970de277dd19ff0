import { acceptInvite } from './endpoints/accept-invite.ts'
import { addUserToOrg } from './endpoints/add-user-to-org.ts'
import { checkClaimedDomain } from './endpoints/check-claimed-domain.ts'
import { claimDomain } from './endpoints/claim-domain.ts'
import { createOrg } from './endpoints/create-org.ts'
import { createOrgInvite } from './endpoints/create-org-invite.ts'
import { deleteClaimedDomain } from './endpoints/delete-claimed-domain.ts'
import { deleteOrgBuilder } from './endpoints/delete-org-builder.ts'
import { deleteOrgInvite } from './endpoints/delete-org-invite.ts'
import { getMyInfo } from './endpoints/get-my-info.ts'
import { getOrg } from './endpoints/get-org.ts'
import { getOrgInvite } from './endpoints/get-org-invite.ts'
import { listOrgBuilders } from './endpoints/list-org-builders.ts'
import { listOrgClaimedDomains } from './endpoints/list-org-claimed-domains.ts'
import { listOrgInvites } from './endpoints/list-org-invites.ts'
import { updateOrg } from './endpoints/update-org.ts'
import { updateOrgBuilder } from './endpoints/update-org-builder.ts'
import { verifyClaimedDomain } from './endpoints/verify-claimed-domain.ts'
import { sendInviteHandler } from './jobs/send-invite.ts'

export {
  acceptInviteByToken,
  acceptInvitesByEmail,
  findInviteByToken,
  type InviteRefusal,
  type ShownInvite,
} from './accept-invite.ts'
export { normalizeEmail } from './address.ts'
export { requireEmail } from './body.ts'
export { hasBuilder, lockBuilder, updateIdentity, updatePassword } from './builder-password-store.ts'
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
export { Builder, type BuilderRow, builderResource, roleWithArticle } from './model.ts'
export { MemberNotFound } from './problems.ts'

export const orgsEndpoints = [
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
export const orgsJobs = [sendInviteHandler]
