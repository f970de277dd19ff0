import { expect, it } from 'vitest'
import { testCache } from '../testing/test-cache.testkit.ts'
import { inputIssues, missingInputs } from './inputs.ts'
import { loadCatalogue } from './load-catalogue.ts'

const catalogue = await loadCatalogue({ cacheDir: testCache })
const entry = (name: string) => {
  const found = catalogue.find(name)
  if (found === undefined) throw new Error(`no ${name}`)
  return found
}
const missing = (...args: Parameters<typeof missingInputs>) => missingInputs(...args).map(({ name }) => name)

it('an input without a value and without a default is missing', () => {
  expect(missing(entry('zendeskSupport'), undefined, {})).toEqual(['workspace'])
  expect(missing(entry('zendeskSupport'), undefined, { workspace: '' })).toEqual(['workspace'])
  expect(missing(entry('zendeskSupport'), undefined, { workspace: 'acme' })).toEqual([])
  expect(missing(entry('connectWise'), undefined, {})).toEqual(['clientId'])
  expect(missing(entry('hubspot'), undefined, {})).toEqual([])
})

it('the workspace reference stands in for the input of that name', () => {
  expect(missing(entry('zendeskSupport'), undefined, {}, 'acme')).toEqual([])
})

it('an input that only objects use, and an optional one, may be missing', () => {
  expect(missing(entry('snowflake'), undefined, { workspace: 'acme' })).toEqual([])
  expect(inputIssues(entry('snowflake'), undefined, { workspace: 'acme' })).toEqual([])
})

it('an input of another module is not asked for', () => {
  expect(missing(entry('salesforce'), 'crm', {})).toEqual(['workspace'])
  expect(missing(entry('salesforce'), undefined, {})).toEqual(['workspace'])
  expect(missing(entry('salesforce'), 'account-engagement', {})).toEqual(['workspace', 'businessUnitId'])
})

it('a value that makes no usable base URL is an issue that does not repeat it', () => {
  expect(inputIssues(entry('zendeskSupport'), undefined, {})).toMatchObject([{ name: 'workspace', problem: 'missing' }])
  for (const [name, metadata] of [
    ['zendeskSupport', { workspace: 'evil.com/#' }],
    ['discourse', { workspace: 'https://forum.example.com' }],
    ['wordPressSelfHosted', { siteUrl: 'ftp://evil.example' }],
    ['wordPressSelfHosted', { siteUrl: 'https://user:evil@blog.example' }],
  ] as const) {
    const issues = inputIssues(entry(name), undefined, metadata)
    expect(issues).toMatchObject([{ problem: 'invalid' }])
    expect(JSON.stringify(issues)).not.toContain('evil')
  }
  expect(inputIssues(entry('wordPressSelfHosted'), undefined, { siteUrl: 'http://127.0.0.1:8080/' })).toEqual([])
})

it('a value that does not match the pattern is an issue with an example', () => {
  const workspace = (provider: string, value: string) => inputIssues(entry(provider), undefined, { workspace: value })
  expect(workspace('zendeskSupport', 'acme.zendesk.com')).toEqual([
    { name: 'workspace', problem: 'invalid', detail: 'Enter a value like acme.' },
  ])
  expect(workspace('salesforce', 'acme--test.sandbox')).toEqual([])
})

it('good values raise no issue with any provider of the catalogue', () => {
  for (const provider of catalogue.list()) {
    const metadata = Object.fromEntries(
      provider.inputs.map(({ name, kind, example }) => [
        name,
        example ?? (kind === 'url' ? 'https://a.example' : 'acme'),
      ]),
    )
    expect(inputIssues(provider, undefined, metadata), provider.name).toEqual([])
  }
})
