import { jobReference } from '../../../kernel/jobs/index.ts'

/** Deletes what remains of an erased group or consumer. */
export const finishErasure = jobReference<{ projectId: string; erasureId: string }>('groups.finish-erasure')
