import { jobReference } from '../../../kernel/jobs/index.ts'

/** Replays ended messages. The key is the id of the replay. */
export const replayMessages = jobReference<{ projectId: string; replayId: string }>('destinations.replay')
