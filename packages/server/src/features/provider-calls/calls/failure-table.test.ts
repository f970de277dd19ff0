import { globSync, readFileSync } from 'node:fs'
import { AppIncomplete, InvalidInputs, NoConnector, ProviderError, providerErrorClasses } from '@mortise/providers'
import { describe, expect, test } from 'vitest'
import { OutboundError } from '../../../kernel/net/index.ts'
import { classifyFailure, customerSentence, providerWordsOf } from './classify-failure.ts'
import { CredentialRefused, CredentialUnavailable } from './credential-errors.ts'
import { type FailureKind, type FailureRow, failureTable } from './failure-table.ts'
import { RateLimitTimeout } from './rate-limit-timeout.ts'

const withCode = (code: string) => Object.assign(new Error(code), { code })
const connect = (code: string) => new OutboundError('connect', 'No connection.', { cause: withCode(code) })

describe('what each error of a request to a provider leads to', () => {
  const errors: [unknown, FailureKind][] = [
    ...providerErrorClasses.map((name): [unknown, FailureKind] => [new ProviderError(name, 'No.'), name]),
    [new RateLimitTimeout(1_000), 'permit_timeout'],
    [new CredentialRefused('No.'), 'credential_refused'],
    [new ProviderError('auth_invalidated', 'No.', { cause: new CredentialRefused('No.') }), 'credential_refused'],
    [new CredentialUnavailable('Not now.'), 'credential_unavailable'],
    [new ProviderError('provider_5xx', 'No.', { cause: new CredentialUnavailable('No.') }), 'credential_unavailable'],
    [new OutboundError('refused_address', 'No.'), 'address_refused'],
    [new OutboundError('dns', 'No.', { cause: withCode('ENOTFOUND') }), 'name_unknown'],
    [new OutboundError('dns', 'No.', { cause: withCode('ESERVFAIL') }), 'name_unresolved'],
    [new OutboundError('busy', 'No.'), 'names_busy'],
    [connect('ECONNREFUSED'), 'unconnected'],
    [connect('ECONNRESET'), 'connection_lost'],
    [new OutboundError('connect', 'No.', { cause: new AggregateError([withCode('EHOSTUNREACH')]) }), 'unconnected'],
    [new OutboundError('timeout', 'No.', { cause: withCode('UND_ERR_CONNECT_TIMEOUT') }), 'connect_timeout'],
    [new OutboundError('timeout', 'No.'), 'answer_timeout'],
    [new OutboundError('tls', 'No.'), 'tls'],
    [new OutboundError('too_large', 'No.'), 'answer_too_large'],
    [new OutboundError('protocol', 'No.'), 'invalid_http'],
    [new OutboundError('aborted', 'No.'), 'canceled'],
    [new OutboundError('aborted', 'No.', { cause: new DOMException('Over.', 'TimeoutError') }), 'deadline'],
    [new NoConnector('acme'), 'no_connector'],
    [new InvalidInputs([]), 'invalid_inputs'],
    [new AppIncomplete({ displayName: 'Acme' }, [{ name: 'key', displayName: 'Key' }]), 'app_incomplete'],
    [new TypeError('a fault'), 'internal'],
    ['a text', 'internal'],
  ]
  test.each(errors)('%s is %s', (error, kind) => expect(classifyFailure(error)).toMatchObject({ kind, error }))

  test('each row has an error here, but the deleted connection, which a test of its module causes', () => {
    const tested = new Set(errors.map(([, kind]) => kind))
    expect(Object.keys(failureTable).filter((kind) => !tested.has(kind as FailureKind))).toEqual(['connection_deleted'])
  })
})

test('the provider asks the whole connection to wait, a permit that does not come asks nobody', () => {
  const asked = new ProviderError('rate_limited', 'Slow down.', { status: 429, retryAfterMs: 7_000 })
  expect(classifyFailure(asked)).toMatchObject({ retryAfterMs: 7_000, connectionWaitMs: 7_000 })
  const failed = new ProviderError('provider_5xx', 'Down.', { status: 503, retryAfterMs: 7_000 })
  expect(classifyFailure(failed)).not.toHaveProperty('connectionWaitMs')
  expect(classifyFailure(new RateLimitTimeout(7_000))).not.toHaveProperty('connectionWaitMs')
})

test('a fault of ours says nothing of itself', () => {
  const { sentence, refusals } = classifyFailure(new Error('password "hunter2" of role app'))
  expect([sentence, ...refusals.map(({ message }) => message)].join(' ')).not.toContain('hunter2')
})

test('a caller that ends its own wait reads the end of its time, whatever failed with it', () => {
  const signal = AbortSignal.abort()
  const failure = classifyFailure(new OutboundError('aborted', 'The request was canceled.'), { signal })
  expect(failure).toMatchObject({ kind: 'deadline', sentence: 'The provider did not respond in time.' })
  // What the provider said in time stays said.
  expect(classifyFailure(new ProviderError('forbidden', 'No.'), { signal })).toMatchObject({ kind: 'forbidden' })
})

test('a customer reads the provider’s words and the status, not our class of error', () => {
  const details = { status: 403, providerMessage: 'Ask your admin' }
  const failure = classifyFailure(new ProviderError('forbidden', 'It answered 403 (forbidden).', details))
  expect(customerSentence(failure)).toBe('The answer has the status 403. It says: Ask your admin.')
  expect(providerWordsOf(customerSentence(failure))).toBe('Ask your admin.')
  expect(providerWordsOf('The answer has the status 403.')).toBeUndefined()
  expect(failure.sentence).toBe('It answered 403 (forbidden). Ask your admin')
})

test('an answer that refuses one record says that nothing was done', () => {
  const rows: FailureRow[] = Object.values(failureTable)
  const answered = rows.filter((row) => row.mayBeDone && row.scope === 'request')
  expect(answered).toEqual([])
})

/** Files that tell errors apart for another reason than a failed request to a provider. */
const exceptions: Record<string, string> = {
  'accounts/authorization-flows/checked-account.ts': 'it validates the values of a new connection',
  'accounts/authorization-servers/discover-server.ts': 'makes a problem of values that give no address',
  'accounts/authorization-servers/discovery-network.ts': 'reaches servers of a discovery, before there is a credential',
  'accounts/connections/handles/connection-handle.ts': 'it throws these errors, and remembers them',
  'accounts/tokens/client-host-issues.ts': 'it validates the hosts of a provider app',
  'accounts/tokens/request-tokens.ts': 'it reads the inputs of a token URL',
  'agents/agent-sessions/client-document.ts': 'it fetches the document of a client, not of a provider',
  'integrations/integrations/source/read-source.ts': 'it reads the source of a deploy',
}

/** Folders that tell them apart: this one, and the kinds of destinations, whose requests go to no provider. */
const elsewhere = ['provider-calls/calls/**', 'messaging/kinds/**']

test('no other file tells errors of providers apart', () => {
  const features = new URL('../../', import.meta.url)
  const classes =
    'AppIncomplete|ProviderError|OutboundError|NoConnector|InvalidInputs|CredentialRefused|CredentialUnavailable'
  const ladder = new RegExp(`instanceof (?:${classes}|RateLimitTimeout)|'OutboundError'`)
  const files = globSync('**/*.ts', { cwd: features, exclude: [...elsewhere, '**/*.test{,kit}.ts'] })
  const found = files.filter((file) => ladder.test(readFileSync(new URL(file, features), 'utf8')))
  expect(found.toSorted()).toEqual(Object.keys(exceptions).toSorted())
})
