import { expect, test } from 'vitest'
import { createLogger, createMetrics } from './index.ts'

function logged(write: (log: ReturnType<typeof createLogger>) => void): {
  text: string
  lines: Record<string, unknown>[]
} {
  const texts: string[] = []
  write(createLogger({ level: 'info', destination: { write: (line) => texts.push(line) } }))
  return { text: texts.join(''), lines: texts.map((line) => JSON.parse(line)) }
}

const secretNames = [
  'apiKey',
  'authorization',
  'password',
  'secret',
  'token',
  'accessToken',
  'refreshToken',
  'clientSecret',
  'credential',
  'cookie',
  'webhookSigningKey',
  'x-api-key',
]

test.each(secretNames)('%s never reaches the log, at the top or two levels down', (name) => {
  const { text } = logged((log) => {
    log.info({ [name]: 'hidden' }, 'top')
    log.info({ request: { [name]: 'hidden' } }, 'inside')
    log.info({ request: { headers: { [name]: 'hidden' } } }, 'deeper')
    log.child({ [name]: 'hidden' }).info('child')
  })
  expect(text).not.toContain('hidden')
  expect(text.match(/\[redacted\]/g)?.length).toBeGreaterThanOrEqual(3)
})

test('a line is one JSON object with level, time and message, and no more of the machine', () => {
  const { lines } = logged((log) => log.info({ requestId: 'r1' }, 'two\nlines'))
  expect(lines).toEqual([
    { level: 30, time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/), requestId: 'r1', msg: 'two\nlines' },
  ])
})

test('an error is told with its stack and its causes', () => {
  const { lines } = logged((log) => log.error({ err: new Error('outer', { cause: new Error('inner') }) }, 'failed'))
  expect(lines[0]?.['err']).toMatchObject({
    message: expect.stringContaining('outer'),
    stack: expect.stringContaining('telemetry.test.ts'),
  })
  expect(JSON.stringify(lines[0])).toContain('inner')
})

test('an error of the database driver does not bring the connection with it', () => {
  const error = Object.assign(new Error('broken'), {
    client: { password: 'hidden', connectionParameters: { password: 'hidden' } },
  })
  expect(logged((log) => log.warn({ err: error }, 'x')).text).not.toContain('hidden')
})

test('a chain of causes that bites its tail ends', () => {
  const error = new Error('circle')
  error.cause = error
  expect(logged((log) => log.warn({ err: error }, 'x')).lines).toHaveLength(1)
})

test('of an error its code is told, and each error of several', () => {
  const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED', syscall: 'connect' })
  const { lines } = logged((log) => log.warn({ err: new AggregateError([refused, refused], 'all') }, 'x'))
  expect(lines[0]?.['err']).toMatchObject({
    errors: [{ code: 'ECONNREFUSED', syscall: 'connect' }, { message: 'refused' }],
  })
})

test('what is below the level is not written', () => {
  expect(logged((log) => log.debug('quiet')).lines).toEqual([])
})

test('metrics are exposed in the Prometheus text format, each registry on its own', async () => {
  const metrics = createMetrics()
  const other = createMetrics()
  metrics.httpDuration.labels({ operation: 'listProjects', status: '200' }).observe(0.003)
  metrics.jobs.inc({ job: 'reading.run', outcome: 'completed' })
  metrics.jobsRunning.inc({ job: 'reading.run' })
  metrics.recordsRead.inc({ kind: 'backfill' }, 500)
  metrics.attempts.inc({ outcome: 'delivered' })
  metrics.attemptDuration.observe(0.1)
  const text = await metrics.registry.metrics()
  for (const line of [
    'mortise_http_request_duration_seconds_bucket{le="0.005",operation="listProjects",status="200"} 1',
    'mortise_jobs_total{job="reading.run",outcome="completed"} 1',
    'mortise_jobs_running{job="reading.run"} 1',
    'mortise_records_read_total{kind="backfill"} 500',
    'mortise_delivery_attempts_total{outcome="delivered"} 1',
    'mortise_delivery_attempt_duration_seconds_count 1',
  ])
    expect(text).toContain(line)
  expect(await other.registry.metrics()).not.toContain('listProjects')
})

test('an error that a provider or the network caused is told without a stack, down to its causes; a fault of ours with it', () => {
  for (const name of ['ProviderError', 'OutboundError']) {
    const error = Object.assign(new Error('away', { cause: new Error('ECONNRESET') }), { name, status: 503 })
    const { lines, text } = logged((log) => log.info({ err: error }, 'x'))
    expect(lines[0]?.['err']).toEqual({
      type: name,
      message: 'away',
      status: 503,
      cause: { type: 'Error', message: 'ECONNRESET' },
    })
    expect(text).not.toContain('    at ')
  }
  const ours = new TypeError('x is not a function', { cause: new Error('why') })
  expect(logged((log) => log.info({ err: ours }, 'x')).lines[0]?.['err']).toMatchObject({ stack: expect.any(String) })
})
