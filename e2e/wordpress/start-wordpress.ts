import { randomUUID } from 'node:crypto'
import { chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freeAddress, untilListening } from '../debian/loopback.ts'
import { run, startServer, webUserId } from '../debian/web-user.ts'

export interface WordPress {
  /** Address of the site, without a trailing slash. */
  url: string
  /** The administrator. */
  user: string
  /** For the REST API; the site does not take the login password there. */
  applicationPassword: string
  /**
   * One request to the REST API as the administrator; a path such as `/wp/v2/posts`.
   * @throws Error unless the answer is 2xx
   */
  rest<T>(method: string, path: string, body?: unknown): Promise<T>
  /** Runs a PHP script (without `<?php`) with WordPress loaded. @returns what it printed, as JSON */
  php<T>(script: string): Promise<T>
  /** Adds PHP (without `<?php`) that the site runs on every request from now on. */
  plugin(code: string): Promise<void>
  /** Ends the site and its database and leaves nothing behind. May be called twice. */
  stop(): Promise<void>
}

/**
 * Starts the WordPress that `install.sh` installed: with a database of its own that no network reaches, on a loopback
 * address of its own, so that it meets no other program and no other run. Needs root, for Debian keeps the settings of
 * sites in /etc. Takes seconds.
 */
export async function startWordPress(): Promise<WordPress> {
  const started = new AsyncDisposableStack()
  try {
    return await start(started)
  } catch (error) {
    await started.disposeAsync()
    throw error
  }
}

async function start(started: AsyncDisposableStack): Promise<WordPress> {
  // Not os.tmpdir(): the web user may not reach that, and the path of a socket holds at most 107 bytes.
  const folder = await mkdtemp('/tmp/mortise-wordpress-')
  started.defer(() => rm(folder, { recursive: true, force: true }))
  await chown(folder, webUserId, webUserId)

  const socket = await startDatabase(started, folder)
  const { host, port } = await freeAddress()
  const url = `http://${host}:${port}`
  await configureSite(started, { folder, socket, host, url })

  // One process serves all requests in turn: the further workers that PHP offers outlive it when it is killed.
  const site = started.use(
    await startServer('php', ['-d', 'sendmail_path=/bin/true', '-S', `${host}:${port}`, '-t', '/usr/share/wordpress']),
  )
  await untilListening({ host, port }, site)
  await install(url)

  const php = async <T>(script: string): Promise<T> => {
    const loaded = `<?php $_SERVER['HTTP_HOST'] = '${host}'; require '/usr/share/wordpress/wp-load.php'; ${script}`
    return JSON.parse(await run('php', [], { input: loaded }))
  }
  const applicationPassword = await php<string>(`
    $GLOBALS['wp_rewrite']->set_permalink_structure('/%postname%/');
    echo json_encode(WP_Application_Passwords::create_new_application_password(1, ['name' => 'e2e'])[0]);`)
  const authorization = `Basic ${Buffer.from(`${administrator}:${applicationPassword}`).toString('base64')}`

  return {
    url,
    user: administrator,
    applicationPassword,
    php,
    plugin: (code) => writeFile(join(folder, 'content', 'mu-plugins', `${randomUUID()}.php`), `<?php ${code}`),
    async rest(method, path, body) {
      const answer = await fetch(`${url}/wp-json${path}`, {
        method,
        headers: { authorization, 'content-type': 'application/json' },
        signal: AbortSignal.timeout(20_000),
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
      return JSON.parse(await answer.text())
    },
    stop: () => started.disposeAsync(),
  }
}

const administrator = 'admin'

/** @returns the path of its socket, the one way to it */
async function startDatabase(started: AsyncDisposableStack, folder: string): Promise<string> {
  const data = join(folder, 'db')
  const socket = join(folder, 'db.sock')
  await run('mariadb-install-db', [
    '--no-defaults',
    `--datadir=${data}`,
    '--skip-test-db',
    '--auth-root-authentication-method=normal',
  ])
  const options = [`--datadir=${data}`, `--socket=${socket}`, '--skip-networking', '--innodb-flush-log-at-trx-commit=0']
  const database = started.use(await startServer('/usr/sbin/mariadbd', ['--no-defaults', ...options]))
  await untilListening({ path: socket }, database)
  await run('mariadb', ['--no-defaults', '-uroot', `--socket=${socket}`], {
    input: `create database wordpress character set utf8mb4;
      create user wp@localhost identified by 'wp';
      grant all on wordpress.* to wp@localhost;`,
  })
  return socket
}

/** Debian's WordPress finds a site's settings by the host that a request names. */
async function configureSite(
  started: AsyncDisposableStack,
  { folder, socket, host, url }: { folder: string; socket: string; host: string; url: string },
): Promise<void> {
  const content = join(folder, 'content')
  for (const name of ['mu-plugins', 'themes', 'uploads']) await mkdir(join(content, name), { recursive: true })
  const file = `/etc/wordpress/config-${host}.php`
  // wx: settings of that name would be somebody's.
  await writeFile(
    file,
    `<?php
define('DB_NAME', 'wordpress'); define('DB_USER', 'wp'); define('DB_PASSWORD', 'wp');
define('DB_HOST', 'localhost:${socket}'); define('DB_CHARSET', 'utf8mb4');
define('WP_HOME', '${url}'); define('WP_SITEURL', WP_HOME); define('WP_CONTENT_DIR', '${content}');
define('WP_ENVIRONMENT_TYPE', 'local'); // or application passwords would need https
define('DISABLE_WP_CRON', true); define('WP_HTTP_BLOCK_EXTERNAL', true);
`,
    { flag: 'wx', mode: 0o644 },
  )
  started.defer(() => rm(file, { force: true }))
}

/** What a person does in the browser at first. */
async function install(url: string): Promise<void> {
  const answer = await fetch(`${url}/wp-admin/install.php?step=2`, {
    method: 'POST',
    body: new URLSearchParams({
      weblog_title: 'End to end',
      user_name: administrator,
      admin_password: 'pw',
      admin_password2: 'pw',
      pw_weak: 'on',
      admin_email: 'admin@example.test',
      blog_public: '0',
    }),
    signal: AbortSignal.timeout(30_000),
  })
  const page = await answer.text()
  if (!page.includes('<h1>Success')) throw new Error(`WordPress was not installed: ${answer.status}\n${page}`)
}
