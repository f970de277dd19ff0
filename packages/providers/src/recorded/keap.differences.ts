import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'The recorded page is one of version 1, whose link to the next page is not in version 2. So Mortise reads one page.',
    cases: ['read-contacts-has-next'],
    expect: { done: true, nextPage: null },
  },
  { why: 'The recorded page has a URL where Keap documents a token.', cases: ['read-tags-has-next'], fails: true },
  {
    why: 'Keap documents PATCH for this update.',
    cases: ['update-automationcategory'],
    otherwise: ['"method":"PUT"', '"method":"PATCH"'],
  },
]
