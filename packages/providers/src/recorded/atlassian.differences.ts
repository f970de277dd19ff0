import { type Differences, unknownObject } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: unknownObject,
    cases: [
      'metadata-butterflies-error',
      'metadata-butterflies-error-2',
      'metadata-butterflies-error-3',
      'metadata-butterflies-error-4',
    ],
    unknownObject: 'issues',
  },
  {
    why: 'The label is in the plural. The field of the key is `key`, as in the records. The recording takes `issuekey` from the list of fields.',
    cases: ['metadata-'],
    leftOut: ['objects.issue.displayName', 'objects.issue.fields.issuekey'],
  },
  {
    why: 'The object is called `issues`, like the objects of other providers.',
    cases: ['metadata-'],
    names: { issue: 'issues' },
  },
  {
    why: 'Mortise reads a record without an id, as lists may have such records. The recording fails the whole page.',
    cases: ['read-issues-error-5', 'read-issues-error-6'],
    expect: { rows: 1, done: true, records: [{ raw: {} }] },
    leftOut: ['error'],
  },
  {
    why: 'An account may have several sites. Mortise takes the one whose name is the workspace of the connection, and the recording has no workspace.',
    cases: ['postAuthentication-ok'],
    metadata: { workspace: 'second-proj' },
  },
]
