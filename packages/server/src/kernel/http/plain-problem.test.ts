import { expect, it } from 'vitest'
import { prefersHtml, prefersJson, problemText } from './plain-problem.ts'
import { InvalidInput, MalformedBody } from './problems.ts'

it.each([
  [undefined, false],
  ['', false],
  ['*/*', false],
  ['text/plain', false],
  ['text/html, */*;q=0.8', false],
  ['application/json', true],
  ['application/problem+json', true],
  ['application/json, text/plain, */*', true],
  ['text/plain, application/json;q=0.5', false],
  ['text/plain;q=0.1, application/json;q=0.5', true],
  ['application/json;q=0', false],
  ['application/*', true],
  ['APPLICATION/JSON; charset=utf-8', true],
  [';;,;q=,application/json;q=nan', true],
])('%j prefers JSON: %s', (accept, prefers) => {
  expect(prefersJson(accept)).toBe(prefers)
})

it('a problem in text is one sentence a line, with what to do', () => {
  const issues = [
    { in: 'body' as const, name: 'a', detail: 'a is required.' },
    { in: 'body' as const, name: 'b', value: 'hush', detail: 'b is no number.', remedy: 'Send a number.' },
  ]
  expect(problemText(new InvalidInput({ issues }))).toBe('a is required.\nb is no number. Send a number.')
  expect(problemText(new MalformedBody({ detail: 'The body is no JSON.' }))).toMatch(/^The body is no JSON\. \S/)
})

it.each([
  ['text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8', true],
  ['text/html', true],
  ['text/html;q=0', false],
  ['text/html, application/json', false],
  ['application/json, text/html;q=0.9', false],
  ['*/*', false],
  ['text/*', false],
  [undefined, false],
])('%j prefers a page: %s', (accept, prefers) => {
  expect(prefersHtml(accept)).toBe(prefers)
})
