import { type Differences, unknownObject } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: unknownObject,
    cases: ['metadata-workspace-meme'],
    expect: { objectErrors: { meme: { class: 'unsupported_object' } } },
  },
  { why: unknownObject, cases: ['read-meme-error'], unknownObject: 'team' },
  { why: unknownObject, cases: ['create-arsenal-error'], unknownObject: 'team' },
  {
    why: 'The recording has no path, and Chili Piper documents other updates of a distribution.',
    cases: ['update-distribution'],
    fails: true,
  },
]
