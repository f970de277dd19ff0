import { type Differences, shortPage } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'Nutshell filters accounts by the time of creation, and would miss changes. Mortise reads all accounts.',
    cases: ['read-accounts-incremental-has-next'],
    otherwise: [',"filter[createdTime]":"2025-08-06T22:06:54Z 2025-08-06T22:06:56Z"', ''],
  },
  {
    why: 'Mortise requests pages of 100 accounts, the largest that Nutshell documents. So a page of three is the last one.',
    cases: ['read-accounts-incremental-has-next', 'read-accounts-following-page-last-page'],
    otherwise: ['"page[limit]":"10000"', '"page[limit]":"100"'],
  },
  {
    why: shortPage,
    cases: ['read-accounts-incremental-has-next'],
    expect: { done: true, nextPage: null },
  },
  {
    why: 'The recording has the next page as a URL with a space. Mortise keeps the number of the page.',
    cases: ['read-accounts-following-page-last-page'],
    input: { nextPage: { kind: 'token', value: '1' } },
  },
  {
    why: 'The next page of the recording has newer events, and would miss older ones. Mortise does not read events.',
    cases: ['read-events-incremental-has-next'],
    fails: true,
  },
  {
    why: 'The record of the recording is a JSON Patch operation. Mortise takes values of fields, and makes the operations itself.',
    cases: ['update-accounts'],
    input: { data: { name: 'Strawberry' } },
  },
]
