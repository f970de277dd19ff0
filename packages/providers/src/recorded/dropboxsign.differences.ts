import type { Differences } from './differences.testkit.ts'

/** A sample record has values, and no names of types. */
const typeNames = (object: string, fields: readonly string[]) =>
  fields.map((field) => `${object}.fields.${field}.providerType`)

export const differences: Differences = {
  notRun: {
    'update-team': 'An account has one team, and its update names none. In a file, the id identifies the record.',
  },
  leftOut: {
    'metadata-bulk-send-job-fax': [
      ...typeNames('bulk_send_job', ['bulk_send_job_id', 'total', 'is_creator', 'created_at']),
      ...typeNames('fax', ['fax_id', 'title', 'original_title', 'subject', 'message', 'metadata', 'created_at']),
      ...typeNames('fax', ['sender', 'transmissions', 'files_url']),
    ],
  },
}
