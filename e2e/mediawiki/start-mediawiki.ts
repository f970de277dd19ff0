import { randomBytes } from 'node:crypto'
import { appendFile, chown, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { freeAddress, untilListening } from '../debian/loopback.ts'
import { type Restartable, startRestartable } from '../debian/restartable.ts'
import { run, startServer, webUserId } from '../debian/web-user.ts'

export interface MediaWiki extends Restartable {
  /** Address of api.php without `/api.php`. */
  scriptUrl: string
  /** The user name of a bot password. */
  botName: string
  botPassword: string
  /** Writes a page as the administrator. */
  edit(title: string, text: string): Promise<void>
  /** Deletes a page as the administrator. */
  delete(title: string): Promise<void>
  /** A page as a stranger sees it. */
  page(title: string): Promise<Page>
  /** Ends all sessions, as time does. */
  endSessions(): Promise<void>
}

export interface Page {
  pageid?: number
  missing?: true
  revisions?: { comment: string; slots: { main: { content: string } } }[]
}

/** Where Debian puts it. */
const program = '/usr/share/mediawiki'
const administrator = 'Ada'
const botId = 'mortise'

/**
 * Starts the MediaWiki that `install.sh` installed: with settings and a database of its own, on a loopback address of
 * its own, so that it meets no other program and no other run.
 *
 * @param seed an export of the pages that the wiki starts with
 */
export async function startMediaWiki(seed: string): Promise<MediaWiki> {
  const started = new AsyncDisposableStack()
  try {
    return await start(started, seed)
  } catch (error) {
    await started.disposeAsync()
    throw error
  }
}

async function start(started: AsyncDisposableStack, seed: string): Promise<MediaWiki> {
  // Not os.tmpdir(): the web user may not reach that.
  const folder = await mkdtemp('/tmp/mortise-mediawiki-')
  started.defer(() => rm(folder, { recursive: true, force: true }))
  await chown(folder, webUserId, webUserId)
  const { host, port } = await freeAddress()
  const scriptUrl = `http://${host}:${port}`
  const botPassword = randomBytes(16).toString('hex')
  const settings = await install(folder, scriptUrl)
  const maintain = maintenance(settings)
  await maintain('importDump.php', ['--no-updates', '--quiet'], seed)
  const grants = 'basic,highvolume,editpage,createeditmovepage,delete'
  await maintain('createBotPassword.php', [`--appid=${botId}`, `--grants=${grants}`, administrator, botPassword])

  const server = started.use(
    await startRestartable(async () => {
      const env = { MW_CONFIG_FILE: settings }
      const launched = await startServer('php', ['-S', `${host}:${port}`, '-t', program], { env })
      await untilListening({ host, port }, launched)
      return launched
    }),
  )
  return {
    scriptUrl,
    botName: `${administrator}@${botId}`,
    botPassword,
    stop: server.stop,
    start: server.start,
    async edit(title, text) {
      await maintain('edit.php', [`--user=${administrator}`, title], text)
    },
    async delete(title) {
      await maintain('deleteBatch.php', [`--u=${administrator}`], title)
    },
    async page(title) {
      const query = { action: 'query', titles: title, prop: 'revisions', rvprop: 'content|comment', rvslots: 'main' }
      const parameters = new URLSearchParams({ ...query, format: 'json', formatversion: '2' })
      const answer = await fetch(`${scriptUrl}/api.php?${parameters}`, { signal: AbortSignal.timeout(20_000) })
      const body = (await answer.json()) as { query: { pages: Page[] } }
      return body.query.pages[0]!
    },
    async endSessions() {
      const input = `<?php (new PDO('sqlite:${folder}/data/wikicache.sqlite'))->exec('delete from objectcache');`
      await run('php', [], { input })
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

/** Makes the database. @returns the path of the settings */
async function install(folder: string, scriptUrl: string): Promise<string> {
  const options = {
    dbtype: 'sqlite',
    dbname: 'wiki',
    dbpath: join(folder, 'data'),
    confpath: folder,
    server: scriptUrl,
    scriptpath: '',
    pass: randomBytes(16).toString('hex'),
  }
  const given = Object.entries(options).map(([name, value]) => `--${name}=${value}`)
  await maintenance()('install.php', [...given, 'Wiki', administrator])
  const settings = join(folder, 'LocalSettings.php')
  // Nothing has to survive a power failure. No job runs at the end of a request, which would change pages.
  await appendFile(
    settings,
    `
$wgDBservers = [[
  'type' => 'sqlite', 'host' => '', 'user' => '', 'password' => '', 'dbname' => $wgDBname,
  'dbDirectory' => $wgSQLiteDataDir, 'variables' => ['synchronous' => 'OFF'], 'load' => 1,
]];
$wgJobRunRate = 0;
`,
  )
  return settings
}

/** @returns what runs one of MediaWiki's maintenance scripts, with the settings in a file if there are any yet */
function maintenance(settings?: string) {
  return (script: string, args: string[], input = '') =>
    run(
      'env',
      [...(settings ? [`MW_CONFIG_FILE=${settings}`] : []), 'php', join(program, 'maintenance', script), ...args],
      {
        input,
      },
    )
}
