import { jobReference } from '../../../kernel/jobs/index.ts'

/** Checks the schemas of an installation that are due. */
export const checkSchemas = jobReference<{ projectId: string; installationId: string }>('schema-watching.check')

/** Brings the schema watches of an integration in line with its manifest. */
export const resyncWatches = jobReference<{ projectId: string; integrationId: string }>('schema-watching.resync')
