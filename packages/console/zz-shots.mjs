import { existsSync, readFileSync } from 'node:fs'
import { chromium } from 'playwright-core'

const base = 'http://localhost:4311'
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] })
const only = process.argv[2] ?? ''
const theme = process.argv[3] ?? 'light'
const widths = (process.argv[4] ?? '1440').split(',').map(Number)
const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme: theme })
const page = await context.newPage()
page.on('console', (m) => {
  if (m.type() === 'error') console.log('CONSOLE', m.text().slice(0, 300))
})
page.on('pageerror', (e) => console.log('PAGEERROR', e.message.slice(0, 500)))
const setup = process.env.SETUP
if (setup) {
  await page.goto(setup)
  await page.waitForTimeout(1000)
  console.log(await page.title())
  for (const i of await page.locator('input').all())
    console.log(await i.getAttribute('name'), await i.getAttribute('type'))
  await page.fill('input[name=email]', 'ada@example.com')
  for (const i of await page.locator('input[type=password]').all()) await i.fill('a long horse battery 77')
  await page.click('button[type=submit]')
  await page.waitForTimeout(3000)
  console.log(page.url())
} else {
  await page.goto(base + '/signin?next=/console/default/integrations')
  await page.waitForTimeout(800)
  await page.fill('input[name=email]', 'ada@example.com')
  await page.fill('input[type=password]', 'a long horse battery 77')
  await page.click('button[type=submit]')
  await page.waitForTimeout(2500)
  console.log(page.url())
}
const pages = {
  integrations: '/default/integrations',
  integration: '/default/integrations/sampleCrm',
  edit: '/default/integrations/sampleCrm/edit',
  revisions: '/default/integrations/sampleCrm/revisions',
  usedby: '/default/integrations/sampleCrm/used-by',
  isettings: '/default/integrations/sampleCrm/settings',
  deploy: '/default/integrations/deploy',
  environments: '/default/integrations/environments',
  promotion: '/default/integrations/environments?integration=sampleCrm&to=staging',
  providers: '/default/providers',
  provider: '/default/providers/salesforce',
  papps: '/default/providers/salesforce/apps',
  papp: '/default/providers/hubspot/apps?app=new',
  pslack: '/default/providers/slack/apps?app=new',
  sample: '/default/providers/sampleCrm',
  explorer: '/default/explorer',
  explorerop: '/default/explorer?op=listIntegrations',
  explorerpost: '/default/explorer?op=createProviderApp',
  proxy: '/default/explorer/provider?groupRef=acme&path=/v1/contacts',
}
for (const [name, path] of Object.entries(pages)) {
  if (only !== '' && !only.split(',').includes(name)) continue
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    await page.goto(base + '/console' + path)
    await page.waitForTimeout(2500)
    if (name === 'proxy' || name === 'explorerop') {
      await page
        .getByRole('button', { name: /^Send GET/ })
        .click()
        .catch((e) => console.log(e.message.slice(0, 200)))
      await page.waitForTimeout(2500)
    }
    await page.screenshot({
      path: `/tmp/p3/${name}-${theme}-${width}.png`,
      fullPage: width < 1000 || name !== 'providers',
    })
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)
    if (overflow) console.log('OVERFLOW', name, width)
    if (process.env.AXE && existsSync('node_modules/axe-core/axe.min.js')) {
      const found = await page
        .evaluate(
          `(async () => { ${readFileSync('node_modules/axe-core/axe.min.js', 'utf8')}; const r = await axe.run(); return r.violations.map(v => v.id + ': ' + v.nodes.slice(0,3).map(n => n.html.slice(0,160) + ' | ' + n.failureSummary.split('\\n')[1]).join(' || ')) })()`,
        )
        .catch((e) => [e.message.slice(0, 200)])
      for (const f of found) console.log('AXE', name, f)
    }
  }
}
await browser.close()
