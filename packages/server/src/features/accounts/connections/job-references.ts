import { jobReference } from '../../../kernel/jobs/index.ts'

/** Renews the access token of a connection before it ends. */
export const renewConnectionJob = jobReference<{ projectId: string; connectionId: string }>('connections.renew')

/** Checks a connection with its provider. */
export const verifyConnectionJob = jobReference<{ projectId: string; connectionId: string }>('connections.verify')
