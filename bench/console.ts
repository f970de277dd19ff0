import { join } from 'node:path'
import process from 'node:process'
import { type Browser, chromium, type Page } from 'playwright-core'
import { chromiumPath } from '../packages/server/src/testkit/chromium.ts'
import { buildConsole } from '../scripts/build-console.mjs'
import { type Benchmark, runAlone } from './benchmark.ts'
import { median, rounded } from './measure/statistics.ts'
import { startBenchServer } from './rig/bench-database.ts'
import { fillConsole } from './rig/console-rows.ts'
import { startService } from './rig/service.ts'
import { fullOrShort } from './rig/short.ts'
import { temporaryFolder } from './rig/temporary-folder.ts'

const rounds = fullOrShort(9, 1)
/** Rows of the list that is scrolled, and of the database behind it. */
const scrolledRows = fullOrShort(10_000, 500)
const installations = fullOrShort(1_000, 50)
const operations = fullOrShort(100_000, 2_000)
/** How much slower than this machine the browser computes. */
const slowdown = 4
const usableMsMax = 1_500
const frameMsMax = 50
const person = { fullName: 'Ada', email: 'ada@example.com', password: 'staple battery horse correct' }

/** Calls back in the page after the next frame is painted. A policy that forbids `eval` allows it. */
const afterPaint = `(done) => requestAnimationFrame(() => {
  const { port1, port2 } = new MessageChannel()
  port2.onmessage = done
  port1.postMessage(0)
})`
/**
 * Promises in the page when the overview has its figures, and they are painted: the milliseconds since the browser
 * followed the redirect of the sign-in, which checks the password before it.
 */
const watchOverview = `if (location.pathname.startsWith('/console')) globalThis.usableAt = new Promise((resolve) => {
  const look = () =>
    document.querySelector('main .figure') && document.querySelector('.sections a')
      ? (${afterPaint})(() => resolve(performance.now() - performance.getEntriesByType('navigation')[0].fetchStart))
      : requestAnimationFrame(look)
  look()
})`
/**
 * Scrolls by 400 pixels a frame, as a quick finger does, until so many rows have passed. Returns the milliseconds from
 * each frame to the next one.
 */
const scroll = (rows: number) => `new Promise((resolve) => {
  const scroller = document.querySelector('main [role=grid]')
  const frames = []
  let before
  const step = (now) => {
    if (before !== undefined) frames.push(now - before)
    before = now
    scroller.scrollTop += 400
    const last = Number([...scroller.querySelectorAll('[role=row]')].at(-1)?.getAttribute('aria-rowindex') ?? 0)
    if (last >= ${rows} || frames.length > 20000) resolve(frames)
    else requestAnimationFrame(step)
  }
  requestAnimationFrame(step)
})`

/**
 * The console in Chromium: from the redirect of a sign-in until the first page can be used, with an empty cache, in a
 * browser four times slower than here; and the frames while a list of operations is scrolled, as fast as here and four
 * times slower.
 */
export const consolePages: Benchmark = {
  name: 'console',
  measures: "from the sign-in's redirect to a usable first page of the console",
  goal: { most: usableMsMax },
  unit: 'ms',
  async run(say) {
    if (chromiumPath === undefined) throw new Error('there is no Chromium on this machine')
    await buildConsole(join(import.meta.dirname, '..'))
    await using folder = await temporaryFolder()
    await using server = await startBenchServer(folder.path)
    const { superuser, env } = await server.database('mortise')
    await using service = await startService(folder.path, env)
    const { id: projectId } = await service.call<{ id: string }>('GET', '')
    await fillConsole(superuser, projectId, { installations, operations, messages: operations / 10, days: 7 })
    const browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] })
    try {
      await setUp(browser, await service.ownerLink)
      const times: number[] = []
      for (let round = 0; round < rounds; round++) times.push(await firstPage(browser, service.url))
      say(`slowest of ${rounds}: ${Math.max(...times).toFixed(0)} ms`)
      const slowed = await scrolledFrames(browser, service.url, slowdown)
      const frames = await scrolledFrames(browser, service.url, 1)
      const longest = rounded(Math.max(...frames), 1)
      const over = countOver(frames)
      say(
        `${scrolledRows} rows in ${frames.length} frames: longest ${longest} ms (limit ${frameMsMax}), ${over} over it`,
      )
      return {
        value: rounded(median(times), 0),
        holds: over === 0,
        details: {
          rounds,
          slowestMs: rounded(Math.max(...times), 0),
          scrolledRows,
          frames: frames.length,
          frameMsMax,
          longestFrameMs: longest,
          framesOverLimit: over,
          medianFrameMs: rounded(median(frames), 1),
          slowed: {
            frames: slowed.length,
            longestFrameMs: rounded(Math.max(...slowed), 1),
            framesOverLimit: countOver(slowed),
          },
        },
      }
    } finally {
      await browser.close()
    }
  },
}

/** Makes the account that signs in. */
async function setUp(browser: Browser, link: string): Promise<void> {
  const page = await browser.newPage()
  await page.goto(link)
  await page.fill('input[name=name]', person.fullName)
  await page.fill('input[name=email]', person.email)
  await page.fill('input[type=password]', person.password)
  await page.click('button[type=submit]')
  await page.waitForURL(/\/console\//)
  await page.context().close()
}

/** Signs in as a person whose browser never saw the console. Returns when its first page could be used. */
async function firstPage(browser: Browser, url: string): Promise<number> {
  const page = await signIn(browser, url, '/console/default/overview')
  const ms = await page.evaluate<number>('usableAt')
  await page.context().close()
  return ms
}

const countOver = (frames: readonly number[]): number => frames.filter((ms) => ms > frameMsMax).length

/** Scrolls a list of operations, whose pages are requested on the way. Returns the milliseconds of its frames. */
async function scrolledFrames(browser: Browser, url: string, rate: number): Promise<number[]> {
  const page = await signIn(browser, url, '/console/default/operations', rate)
  await page.locator('main [role=row]').nth(10).waitFor()
  const frames = await page.evaluate<number[]>(scroll(scrolledRows))
  await page.context().close()
  return frames
}

/** @param rate how much slower than this machine the browser computes from the sign-in on */
async function signIn(browser: Browser, url: string, next: string, rate = slowdown): Promise<Page> {
  const page = await (await browser.newContext({ viewport: { width: 1_280, height: 900 } })).newPage()
  await page.addInitScript(watchOverview)
  await page.goto(`${url}/signin?next=${encodeURIComponent(next)}`)
  await page.fill('input[name=email]', person.email)
  await page.fill('input[type=password]', person.password)
  const client = await page.context().newCDPSession(page)
  await client.send('Emulation.setCPUThrottlingRate', { rate })
  await page.click('button[type=submit]')
  await page.waitForURL(`${url}${next}`)
  return page
}

if (import.meta.main) process.exitCode = (await runAlone(consolePages)) ? 0 : 1
