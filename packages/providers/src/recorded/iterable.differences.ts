import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'The message is part of a page of HTML. Mortise shows no HTML of a provider.',
    cases: ['create-templatespush-error'],
    leftOut: ['error.messageContains.0'],
  },
  {
    why: 'Iterable identifies a catalog by its name in lists and requests. The recording takes a number that no request uses.',
    cases: ['create-catalogs'],
    expect: { recordId: 'electronics' },
  },
  {
    why: 'Iterable documents no creation of a webhook. This request changes a webhook by its number.',
    cases: ['create-webhooks-error'],
    fails: true,
  },
]
