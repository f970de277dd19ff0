import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { verifyWebhook } from '@mortise/client'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { run } from '../packages/cli/src/run.ts'
import { testTerminal } from '../packages/cli/src/testkit/test-terminal.ts'
import {
  type Installed,
  type ReadingKit,
  startReadingKit,
} from '../packages/server/src/features/sync/reading/reading.testkit.ts'
import { interrupt, mortise, startMortise } from './cli.testkit.ts'

/**
 * `connect`, `read`, `logs`, `replay` and `listen` of the command line, against the real service, a CRM and a receiver.
 */

let kit: ReadingKit
let installed: Installed
let env: Record<string, string>
beforeAll(async () => {
  kit = await startReadingKit()
  installed = await kit.install()
  env = { MORTISE_URL: kit.app.url, MORTISE_API_KEY: kit.app.apiKey }
})
afterAll(() => kit?.stop())

async function here(argv: string[], options: Parameters<typeof testTerminal>[0] = {}) {
  const terminal = testTerminal({ env, ...options })
  return { code: await run(argv, terminal), ...terminal.output(), asked: terminal.asked.map(({ message }) => message) }
}

/** Runs the command here until it has printed something, then presses Ctrl-C. */
async function until(text: RegExp, argv: string[], meanwhile?: () => Promise<unknown>) {
  const terminal = testTerminal({ env })
  const running = run(argv, terminal)
  try {
    if (meanwhile) {
      await expect.poll(() => terminal.output().stderr).toContain('Ctrl-C')
      await meanwhile()
    }
    await expect.poll(() => terminal.output().stdout).toMatch(text)
  } finally {
    terminal.interrupt()
  }
  return { code: await running, ...terminal.output() }
}

const read = (...more: string[]) => ['read', installed.name, 'contacts', '--group', installed.groupRef, ...more]

describe('connect', () => {
  const account = ['connect', '--provider', 'sampleCrm', '--group', 'connected', '--consumer', 'ada']

  test('takes a secret from standard input, checks it, and shows none', async () => {
    const argv = [...account, '--set', `url=${kit.crm.url}`, '--secrets-stdin']
    const { code, stdout, stderr } = await mortise(argv, env, 'demo-key\n')
    expect([code, stderr, stdout]).toEqual([
      0,
      '',
      expect.stringMatching(/^\S{36} sampleCrm for connected: working\n$/),
    ])
    const json = await here([...argv, '--format', 'json'], { stdin: '{"apiKey": "demo-key"}' })
    expect(json.stdout).not.toContain('demo-key')
    expect(JSON.parse(json.stdout)).toMatchObject({ status: 'working', group: { groupRef: 'connected' } })
  })

  test('asks whoever sits there for what the provider declares', async () => {
    const { code, asked } = await here([...account, '--terminal'], { answers: [kit.crm.url, 'demo-key'] })
    expect([code, asked]).toEqual([0, [expect.stringMatching(/^Address: The address of your sample CRM, /), 'API key']])
  })

  test('a credential that does not work is kept, shown, and told by the exit code', async () => {
    const argv = [...account, '--set', `url=${kit.crm.url}`, '--set', 'apiKey=wrong']
    expect(await here(argv)).toMatchObject({ code: 1, stdout: expect.stringContaining('bad_credentials') })
  })

  test('what is missing, unknown or not possible is said', async () => {
    expect(await here([...account, '--terminal'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('apiKey (by --secrets-stdin)'),
    })
    const unknown = await here([...account, '--set', 'token=x'])
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('Its inputs: url, apiKey') })
    expect(await here([...account, '--scheme', 'basic'])).toMatchObject({ code: 2 })
    expect(await here(account.toSpliced(2, 1, 'nothing'))).toMatchObject({ code: 5 })
    expect(await here(['connect', '--provider', 'sampleCrm'])).toMatchObject({ code: 2 })
    expect(await here([...account, 'another'])).toMatchObject({ code: 2 })
    const oauth = await here([...account.toSpliced(2, 1, 'salesforce'), '--set', 'workspace=acme'])
    expect(oauth).toMatchObject({ code: 1, stderr: expect.stringContaining('provider app') })
  })
})

describe('read', () => {
  test('reads now, and tells how it went', async () => {
    const { code, stdout } = await mortise(read(), env)
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^\S{36} success \[contacts\] .*250/)])
    const { stdout: json } = await here(read('--since', '1h', '--format', 'json'))
    expect(JSON.parse(json)).toMatchObject({ status: 'success', actionType: 'read' })
  })

  test('shows how far it is to whoever looks', async () => {
    const { code, stderr } = await here(read(), { answers: [] })
    expect(code).toBe(0)
    expect(stderr).toMatch(/Reading contacts .*records/)
    // The line is gone afterwards.
    expect(stderr.endsWith('\r\u001b[2K')).toBe(true)
  })

  test('--no-wait prints the operation', async () => {
    const { code, stdout } = await here(read('--no-wait', '--format', 'json'))
    expect(code).toBe(0)
    const { id } = JSON.parse(stdout)
    await kit.until(
      async () => JSON.parse((await here(['get', 'operation', id, '--format', 'json'])).stdout).status === 'success',
    )
  })

  test('Ctrl-C leaves it running, and says so', async () => {
    const terminal = testTerminal({ env, answers: [] })
    const running = run(read(), terminal)
    await expect.poll(() => terminal.output().stderr).toContain('Reading')
    terminal.interrupt()
    expect(await running).toBe(130)
    const [, id] = /The read continues\. `mortise get operation (\S+)`/.exec(terminal.output().stderr) ?? []
    await kit.until(async () => (await kit.operations(installed)).find((one) => one.id === id)?.status === 'success')
  })

  test('what cannot be read is said', async () => {
    expect(await here(read('--group', 'nobody'))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no installation'),
    })
    expect(await here(read('--since', 'soon'))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('“soon” is not a time'),
    })
    expect(await here(['read', 'nothing', 'contacts', '--group', 'g'])).toMatchObject({ code: 5 })
    expect(await here(['read', installed.name, 'contacts'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--group'),
    })
  })
})

describe('logs', () => {
  test('of an operation are printed, and filtered by severity', async () => {
    const id = JSON.parse((await here(read('--format', 'json'))).stdout).id as string
    const { code, stdout } = await mortise(['logs', id], env)
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^\S+Z INFO {4}/)])
    const lines = JSON.parse((await here(['logs', id, '--format', 'json'])).stdout)
    expect(lines.length).toBeGreaterThan(0)
    expect(await here(['logs', id, '--severity', 'error', '--format', 'json'])).toMatchObject({
      code: 0,
      stdout: '[]\n',
    })
  })

  test('of the project are followed until Ctrl-C, a line of JSON each', async () => {
    const argv = ['logs', '--follow', '--installation', installed.installationId, '--format', 'json']
    const { code, stdout } = await until(/\n/, argv, () => here(read()))
    expect(code).toBe(130)
    expect(JSON.parse(stdout.split('\n')[0]!)).toMatchObject({
      severity: 'INFO',
      installationId: installed.installationId,
      message: { msg: expect.any(String) },
    })
  })

  test('of an operation are followed from its first line to its end', async () => {
    const id = JSON.parse((await here(read('--no-wait', '--format', 'json'))).stdout).id as string
    const followed = await here(['logs', id, '--follow', '--format', 'json'])
    expect(followed.code).toBe(0)
    const lines = followed.stdout.trim().split('\n')
    const listed = JSON.parse((await here(['logs', id, '--format', 'json'])).stdout) as { message: object }[]
    expect(lines.map((line) => JSON.parse(line).message)).toEqual(listed.map(({ message }) => message))
    expect(lines.at(-1)).toContain('250')
    // What ended before is told as a whole; lines that are not wanted are not waited for.
    expect((await here(['logs', id, '--follow', '--format', 'json'])).stdout).toBe(followed.stdout)
    expect(await here(['logs', id, '--follow', '--severity', 'ERROR'])).toMatchObject({ code: 0, stdout: '' })
  })

  test('what cannot be shown is said', async () => {
    expect(await here(['logs'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--follow') })
    expect(await here(['logs', 'nothing', '--follow'])).toMatchObject({ code: 5 })
    expect(await here(['logs', '--follow', '--installation', 'x'])).toMatchObject({ code: 5 })
    expect(await here(['logs', '--follow', '--severity', 'LOUD'])).toMatchObject({ code: 2 })
  })
})

/** An endpoint on this computer that answers as told. */
async function endpoint(status = 204) {
  const got: { headers: IncomingHttpHeaders; body: string; url: string }[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    got.push({ headers: request.headers, body: Buffer.concat(chunks).toString(), url: request.url ?? '' })
    response.writeHead(status, { location: '/elsewhere' }).end('thanks')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { got, url: `http://localhost:${(server.address() as AddressInfo).port}/hooks?a=b` }
}

describe('listen', () => {
  test('shows messages as they come, and passes them on as the destination gets them', async () => {
    const { got, url } = await endpoint()
    const { MORTISE_URL, MORTISE_API_KEY } = env
    const listening = startMortise(['listen', 'hook', '--forward', url], {
      MORTISE_URL: MORTISE_URL!,
      MORTISE_API_KEY: MORTISE_API_KEY!,
    })
    await listening.printed(/Listening to hook, forwarding to /)
    await here(read())
    await listening.printed(/ · contacts · \d+ records · [\d.]+ KB\n/)
    // What became of it in either place may be known first.
    await Promise.all([listening.printed(/^ {2}→ 204 in \d+ ms\n/m), listening.printed(/delivered, attempt 1/)])
    interrupt(listening)
    expect(await listening.done).toMatchObject({ code: 130, stderr: expect.not.stringContaining('error') })

    const { secrets } = JSON.parse((await here(['get', 'destination', 'hook', '--secrets', '--format', 'json'])).stdout)
    const [{ headers, body, url: path }] = got as [(typeof got)[number]]
    expect(path).toBe('/hooks?a=b')
    expect(verifyWebhook(body, headers, secrets.webhookSigningKey)).toMatchObject({
      action: 'read',
      objectName: 'contacts',
    })
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'webhook-id': headers['svix-id'] })
    // What the receiver of the destination got, it got all the same.
    const argv = ['list', 'attempts', '--message', String(headers['webhook-id']), '--format', 'json']
    expect(JSON.parse((await here(argv)).stdout)).toEqual([expect.objectContaining({ number: 1, status: 204 })])
  })

  test('begins with the latest ones, in their order, and prints bodies', async () => {
    await here(read())
    const { got, url } = await endpoint(500)
    const newest = JSON.parse(
      (await here(['list', 'messages', '--destination', 'hook', '--limit', '0', '--format', 'json'])).stdout,
    ) as { id: string }[]
    const argv = ['listen', 'hook', '--latest', '2', '--print', '--forward', url, '--format', 'json']
    const { code, stdout } = await until(/("forwarded".*\n[\s\S]*){2}/, argv)
    expect(code).toBe(130)
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const wanted = [newest[1]!.id, newest[0]!.id]
    expect(events.filter(({ event }) => event === 'message').map(({ id }) => id)).toEqual(wanted)
    expect(events[0]).toMatchObject({
      kind: 'read',
      objectName: 'contacts',
      records: expect.any(Number),
      verified: true,
    })
    expect(JSON.parse(events[0].body)).toMatchObject({ action: 'read' })
    expect(events.filter(({ event }) => event === 'forwarded')).toEqual(
      wanted.map((id) => ({ event: 'forwarded', id, status: 500, durationMs: expect.any(Number) })),
    )
    expect(got.map(({ headers }) => headers['webhook-id'])).toEqual(wanted)
  })

  test('a secret that is rotated meanwhile is known by the next message', async () => {
    const argv = ['listen', 'hook', '--format', 'json']
    const { stdout } = await until(/"verified":.*\n[\s\S]*"verified":/, argv, async () => {
      await here(read())
      await kit.app.call('GET', '/projects/default/destinations/hook?rotate=true')
      await here(read())
    })
    expect(stdout).not.toContain('"verified":false')
  })

  test('an endpoint that is not there is said, and nothing ends', async () => {
    const argv = ['listen', 'hook', '--latest', '1', '--forward', 'http://127.0.0.1:9/']
    const { code, stdout } = await until(/→/, argv)
    expect([code, stdout]).toEqual([130, expect.stringContaining('→ ECONNREFUSED after')])
  })

  test('forwards to this computer alone, unless it is allowed otherwise', async () => {
    const nowhere = { env: { ...env, MORTISE_URL: 'http://127.0.0.1:9' } }
    const argv = ['listen', 'hook', '--forward', 'http://example.com']
    expect(await here(argv, nowhere)).toMatchObject({ code: 2, stderr: expect.stringContaining('--allow-remote') })
    expect(await here([...argv, '--allow-remote'], nowhere)).toMatchObject({ code: 6 })
    expect(await here(['listen', 'nothing'])).toMatchObject({ code: 5 })
  })
})

describe('replay', () => {
  /** Two that were delivered. */
  async function delivered(): Promise<string[]> {
    const rows = JSON.parse(
      (await here(['list', 'messages', '--destination', 'hook', '--state', 'delivered', '--format', 'json'])).stdout,
    ) as { id: string }[]
    return rows.slice(0, 2).map(({ id }) => id)
  }
  const attempts = async (id: string) => {
    const { stdout } = await here(['list', 'attempts', '--message', id, '--format', 'json'])
    return (JSON.parse(stdout) as unknown[]).length
  }

  test('sends messages again by id, from the command line or standard input, and follows to the end', async () => {
    const ids = await delivered()
    const before = await Promise.all(ids.map(attempts))
    const { code, stdout } = await mortise(['replay', ids[0]!, '-'], env, `${ids[1]}\n`)
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^\S{36} done: 2 messages are sent again\n$/)])
    await expect.poll(() => Promise.all(ids.map(attempts))).toEqual(before.map((count) => count + 1))
  })

  test('sends those of a time again', async () => {
    const { code, stdout } = await here([
      'replay',
      '--from',
      '1h',
      '--destination',
      'hook',
      '--states',
      'all',
      '--format',
      'json',
    ])
    expect(code).toBe(0)
    const { status, matched, requeued, skipped } = JSON.parse(stdout)
    expect([status, matched > 0, requeued + skipped]).toEqual(['done', true, matched])
    const none = await here(['replay', '--from', '2h', '--to', '1h'])
    expect(none).toMatchObject({ code: 0, stdout: expect.stringContaining('done: 0 messages are sent again') })
  })

  test('all that failed to a destination', async () => {
    expect(await here(['replay', '--failed', '--destination', 'hook'])).toMatchObject({ code: 0 })
    expect(await here(['replay', '--failed', '--destination', 'nothing'])).toMatchObject({ code: 1 })
  })

  test('--no-wait prints the replay; what is missing is told by the exit code', async () => {
    const { code, stdout } = await here(['replay', '--from', '1h', '--no-wait', '--format', 'json'])
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ id: expect.any(String) })])
    const gone = await here(['replay', '0198c0de-0000-7000-8000-000000000000'])
    expect(gone).toMatchObject({ code: 1, stdout: expect.stringContaining('1 missing') })
  })

  test('which messages are meant has to be said in one way', async () => {
    for (const argv of [
      [],
      ['--failed'],
      ['--to', '1h'],
      ['x', '--failed'],
      ['x', '--from', '1h'],
      ['x', '--destination', 'hook'],
      ['--destination', 'hook'],
      ['--failed', '--destination', 'hook', '--states', 'all'],
    ])
      expect([argv, (await here(['replay', ...argv])).code]).toEqual([argv, 2])
  })
})
