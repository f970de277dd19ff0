import { jobReference } from '../../../kernel/jobs/index.ts'

/** One object of one installation: its writes run one after the other, in the order in which they were accepted. */
export interface RunWritesData {
  projectId: string
  installationId: string
  objectName: string
}

/** The job of an object, as the queue takes it. */
export function runWritesItem(data: RunWritesData): { data: RunWritesData; key: string } {
  return { data, key: `${data.installationId}:${data.objectName}` }
}

/** Processes the accepted writes of an object of an installation. */
export const runWrites = jobReference<RunWritesData>('writing.run')
