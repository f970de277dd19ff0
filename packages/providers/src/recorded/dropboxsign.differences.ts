import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'The file describes these fields by a sample record. A sample has values, but no names of types.',
    cases: ['metadata-bulk-send-job-fax'],
    leftOut: [
      'objects.bulk_send_job.fields.bulk_send_job_id.providerType',
      'objects.bulk_send_job.fields.total.providerType',
      'objects.bulk_send_job.fields.is_creator.providerType',
      'objects.bulk_send_job.fields.created_at.providerType',
      'objects.fax.fields.fax_id.providerType',
      'objects.fax.fields.title.providerType',
      'objects.fax.fields.original_title.providerType',
      'objects.fax.fields.subject.providerType',
      'objects.fax.fields.message.providerType',
      'objects.fax.fields.metadata.providerType',
      'objects.fax.fields.created_at.providerType',
      'objects.fax.fields.sender.providerType',
      'objects.fax.fields.transmissions.providerType',
      'objects.fax.fields.files_url.providerType',
    ],
  },
  {
    why: 'An account has one team, and its update names none. In Mortise, an update needs the id of its record.',
    cases: ['update-team'],
    fails: true,
  },
]
