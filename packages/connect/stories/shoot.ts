import { mkdirSync } from 'node:fs'
import { chromium } from 'playwright-core'
import { build } from '../scripts/build.mjs'
import { scenarios } from './stories.ts'
import { startStubServer } from './stub-server.ts'

/**
 * `node … stories/shoot.ts FOLDER [STORY…]`: takes pictures of stories in light, dark, at 320 px and right to left.
 * `LOOKS=narrow,dark` and `LANGUAGES=de,ja` choose some, and `CLICK="Continue > Next record"` presses buttons first.
 */
const [folder = '/tmp/stories', ...wanted] = process.argv.slice(2)
mkdirSync(folder, { recursive: true })
const assets = `${folder}/assets`
await build({ outDir: assets })
const server = await startStubServer(assets)
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
})
const looks = {
  light: { width: 640, query: '' },
  dark: { width: 640, query: '&theme=dark' },
  narrow: { width: 320, query: '' },
  'narrow-dark': { width: 320, query: '&theme=dark' },
  rtl: { width: 400, query: '&language=ar' },
}
const only = process.env['LOOKS']?.split(',')
const languages = process.env['LANGUAGES']?.split(',')
const shots = Object.entries(looks)
  .filter(([look]) => !only || only.includes(look))
  .flatMap(([look, { width, query }]) =>
    languages && look !== 'rtl'
      ? languages.map((language) => ({ look: `${look}-${language}`, width, query: `${query}&language=${language}` }))
      : [{ look, width, query }],
  )
for (const name of wanted.length > 0 ? wanted : Object.keys(scenarios)) {
  for (const { look, width, query } of shots) {
    const page = await browser.newPage({
      viewport: { width, height: 700 },
      colorScheme: query.includes('dark') ? 'dark' : 'light',
    })
    page.on('console', (message) => {
      if (message.type() === 'error' && !/status of/.test(message.text())) console.error(name, look, message.text())
    })
    page.on('pageerror', (error) => console.error(name, look, error))
    await page.goto(`${server.url}/story?name=${name}&run=${look}${query}`)
    await page.waitForTimeout(500)
    for (const step of (process.env['CLICK'] ?? '').split('>').filter(Boolean)) {
      await page.getByRole('button', { name: step.trim() }).first().click()
      await page.waitForTimeout(400)
    }
    await page.screenshot({ path: `${folder}/${name}${process.env['SUFFIX'] ?? ''}-${look}.png`, fullPage: true })
    await page.close()
  }
}
await browser.close()
await server.close()
