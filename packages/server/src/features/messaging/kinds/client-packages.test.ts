import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { missingPackages, openSender } from './client-packages.ts'
import { openForTest, testMessages } from './conformance.testkit.ts'
import { destinationKinds } from './index.ts'
import { sqs } from './sqs/index.ts'

const missing = '@mortise/no-such-client'
const incomplete = { ...sqs, clientPackages: ['@aws-sdk/client-sqs', missing] }
const options = { time: new Date(), timeoutMs: 1_000, signal: new AbortController().signal }

it('retries messages whose client is not installed, and says why', async () => {
  const load = async () => (await import(/* @vite-ignore */ missing)) as never
  const kind = { ...incomplete, open: () => ({ send: load, check: load, close: async () => undefined }) }
  const { services, close } = openForTest(kind, {})
  const sender = openSender(kind, {}, services)
  const failure = {
    outcome: 'retry',
    error: expect.stringMatching(/the package @mortise\/no-such-client, .* `npm install --include=optional`/),
  }
  expect(await sender.send(testMessages('a', 'b'), options)).toEqual([failure, failure])
  expect(await sender.check?.(options)).toEqual(failure)
  await close()
})

it('hides no other error of a client', async () => {
  const send = async () => Promise.reject(new TypeError('a mistake'))
  const kind = { ...sqs, open: () => ({ send, close: async () => undefined }) }
  const { services, close } = openForTest(kind, {})
  await expect(openSender(kind, {}, services).send(testMessages('a'), options)).rejects.toThrow('a mistake')
  await close()
})

it.each(
  destinationKinds.flatMap((kind) =>
    Object.keys(kind.properties)
      .filter((name) => name.endsWith('Template'))
      .map((name) => ({ type: kind.name, name, kind })),
  ),
)('$type: a stored $name that this release refuses fails each message, and is named', async ({ name, kind }) => {
  const open = () => ({
    send: async () => [{ outcome: 'delivered' as const }],
    close: async () => undefined,
  })
  const { services, close } = openForTest({ ...kind, open }, {})
  const send = (text: string) =>
    openSender({ ...kind, open }, { [name]: text }, services).send(testMessages('a'), options)
  const twice = 'to_string([to_string([data])])'
  expect(await send(twice)).toEqual([
    {
      outcome: 'retry',
      error: `The ${name} of this destination is not accepted by this release. It must not contain to_string within to_string. Correct it: messages wait.`,
    },
  ])
  expect(await send('data.objectName')).toEqual([{ outcome: 'delivered' }])
  await close()
})

it('every package that a type names is optional, and installed here', () => {
  const { optionalDependencies } = JSON.parse(
    readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'),
  ) as { optionalDependencies: Record<string, string> }
  const named = destinationKinds.flatMap(({ clientPackages = [] }) => clientPackages)
  expect(named.filter((name) => !(name in optionalDependencies))).toEqual([])
  expect(destinationKinds.map(missingPackages).filter((reason) => reason !== undefined)).toEqual([])
})
