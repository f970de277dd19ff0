import { afterEach, describe, expect, it, vi } from 'vitest'
import { namesAt, openForTest } from '../conformance.testkit.ts'
import { startHttpTarget, type TargetAnswer } from '../http-target.testkit.ts'
import type { OutgoingMessage } from '../kind.ts'
import { type Store, stores } from '../stores.testkit.ts'
import { createFakeS3, error } from './fake-s3.testkit.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  vi.unstubAllEnvs()
  for (const close of closing.splice(0)) await close()
})

const { kind, settings } = stores['s3'] as Store
const message: OutgoingMessage = {
  id: '019c13d5-0800-7000-8000-0000000000ff',
  kind: 'notification',
  eventType: 'installation.created',
  body: Buffer.from('{"eventType":"installation.created","name":"a b/ä!\'()*+%"}'),
}
const etag = '"5d41402abc4b2a76b9719d911017c592"'

async function open(more: object = {}, bucket = 'crm') {
  const s3 = createFakeS3({ bucket, region: 'eu-central-1' })
  const target = await startHttpTarget({
    settings: (port) => ({ ...settings(port), bucket, ...more }),
    secret: 'unused',
    answer: s3.answer,
  })
  const { send, close } = openForTest(kind, target.settings)
  closing.push(close, () => target.stop())
  return { ...s3, send }
}

/** What a compatible service may answer to an object that it stored. */
async function outcomeOf(answer: TargetAnswer) {
  const { send, answers } = await open()
  answers.put = () => answer
  return (await send([message]))[0]?.outcome
}

describe('an answer', () => {
  it('that is empty confirms an object by its tag, whatever type it says that it has', async () => {
    // OpenStack Swift has this type for every empty answer.
    const headers = { etag, 'content-type': 'text/html; charset=utf-8' }
    expect(await outcomeOf({ status: 200, headers })).toBe('delivered')
  })

  it('that is a page confirms no object, whatever its tag and type', async () => {
    for (const body of ['<!DOCTYPE html><title>Welcome</title>', '\n  <HTML lang="en">Welcome</HTML>'])
      for (const type of ['text/html', 'application/xml'])
        expect(await outcomeOf({ status: 200, headers: { etag, 'content-type': type }, body })).toBe('retry')
  })

  it('that names another region is not followed', async () => {
    const { send, answers, steps } = await open()
    const headers = { location: 'https://crm.s3.us-east-1.amazonaws.com/', 'x-amz-bucket-region': 'us-east-1' }
    answers.put = () => ({ ...error(301, 'PermanentRedirect'), headers })
    const [result] = await send([message])
    expect(result).toMatchObject({ outcome: 'retry', error: expect.stringMatching(/ 301 \(PermanentRedirect\)\.$/) })
    expect(steps).toEqual(['put'])
  })

  it('with an impossible date does not disturb the next request', async () => {
    const { send, answers } = await open()
    const headers = { date: 'Sat, 13 Sep 275760 00:00:00 GMT' }
    answers.put = (nth) => (nth === 1 ? { status: 503, headers } : undefined)
    expect(await send([message])).toMatchObject([{ outcome: 'retry' }])
    expect(await send([message])).toMatchObject([{ outcome: 'delivered' }])
  })
})

describe('a request', () => {
  it.each(['crm', 'crm.events', 'crm--use1-az1--x-s3', 'crm--op-s3', 'crm-s3alias'])(
    'to an endpoint has the bucket %s in its path',
    async (bucket) => {
      const { send, objects } = await open({ keyTemplate: "join('/', ['x y', data.name])" }, bucket)
      expect(await send([message])).toMatchObject([{ outcome: 'delivered' }])
      expect([...objects.keys()]).toEqual(["x y/a b/ä!'()*+%"])
    },
  )

  it.each([
    ['crm', 'eu-central-1', 'crm.s3.eu-central-1.amazonaws.com'],
    ['crm', 'us-east-1', 'crm.s3.us-east-1.amazonaws.com'],
    ['crm', 'cn-north-1', 'crm.s3.cn-north-1.amazonaws.com.cn'],
    ['crm.events', 'eu-central-1', 's3.eu-central-1.amazonaws.com'],
    ['crm--use1-az1--x-s3', 'us-east-1', 'crm--use1-az1--x-s3.s3.us-east-1.amazonaws.com'],
  ])('to bucket %s in %s goes to %s, whatever the environment says', async (bucket, region, host) => {
    for (const name of ['AWS_ENDPOINT_URL', 'AWS_ENDPOINT_URL_S3', 'HTTPS_PROXY'])
      vi.stubEnv(name, 'http://elsewhere.example.com')
    for (const name of ['AWS_USE_FIPS_ENDPOINT', 'AWS_USE_DUALSTACK_ENDPOINT', 'AWS_S3_USE_ARN_REGION'])
      vi.stubEnv(name, 'true')
    vi.stubEnv('AWS_REGION', 'us-west-2')
    const { endpointUrl: _, ...own } = settings(0) as Record<string, unknown>
    const asked: string[] = []
    const names = namesAt('127.0.0.1')
    const { send, close } = openForTest(
      kind,
      { ...own, bucket, region },
      {
        allow: '',
        names: {
          ...names,
          resolve: async (name, project) => {
            asked.push(name)
            return names.resolve(name, project)
          },
        },
      },
    )
    closing.push(close)
    await expect(send([message])).rejects.toMatchObject({ kind: 'refused_address' })
    expect([...new Set(asked)]).toEqual([host])
  })

  it('has no checksum but that of its signature, whatever the environment says', async () => {
    for (const name of ['AWS_REQUEST_CHECKSUM_CALCULATION', 'AWS_RESPONSE_CHECKSUM_VALIDATION'])
      vi.stubEnv(name, 'WHEN_SUPPORTED')
    const { send, objects } = await open()
    // The fake S3 refuses others, as old compatible services do.
    expect(await send([message])).toMatchObject([{ outcome: 'delivered' }])
    const [object] = objects.values()
    expect(object?.headers['x-amz-content-sha256']).toMatch(/^[0-9a-f]{64}$/)
  })
})
