import { jobReference } from '../../../kernel/jobs/index.ts'

/** Mails the link of an invite. */
export const sendInvite = jobReference<{ inviteId: string }>('orgs.send-invite')
