import { execFileSync } from 'node:child_process'
import { closeSync, constants, mkdirSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { kindsToTest, openForTest, outcomeOf, testMessages } from './conformance.testkit.ts'
import { destinationKinds } from './index.ts'

const ofAws = destinationKinds.filter(({ clientPackages = [] }) =>
  clientPackages.some((name) => name.startsWith('@aws-sdk/')),
)

describe.each(await kindsToTest(ofAws))('$label', ({ kind, harness }) => {
  const closing: (() => unknown)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0)) await close()
  })

  async function start() {
    const target = await harness.start()
    const { send, close } = openForTest(kind, target.settings)
    closing.push(close, () => target.stop())
    return { target, send: () => outcomeOf(send(testMessages('x'))) }
  }

  it('signs with the time of this machine, whatever an answer says', async () => {
    const { target, send } = await start()
    target.behave('is at the end of time')
    expect(await send()).toBe('retry')
    target.behave('accept')
    expect(await send()).toBe('delivered')
  })

  it('reads no files of the machine', async () => {
    const { send } = await start()
    const home = mkdtempSync(path.join(tmpdir(), 'home-'))
    mkdirSync(path.join(home, '.aws'))
    // To read one of them takes until somebody writes to it.
    const files = ['config', 'credentials'].map((name) => path.join(home, '.aws', name))
    execFileSync('mkfifo', files)
    vi.stubEnv('HOME', home)
    closing.push(
      () => vi.unstubAllEnvs(),
      // What reads one of them ends.
      () => files.map((file) => openSync(file, constants.O_RDWR | constants.O_NONBLOCK)).forEach(closeSync),
      () => rmSync(home, { recursive: true }),
    )
    expect(await send()).toBe('delivered')
  })
})
