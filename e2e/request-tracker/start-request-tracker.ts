import { chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freeAddress, untilListening } from '../debian/loopback.ts'
import { type Restartable, startRestartable } from '../debian/restartable.ts'
import { run, startServer, webUserId } from '../debian/web-user.ts'

export interface RequestTracker extends Restartable {
  /** Its address, without a trailing slash. */
  url: string
  /** Authentication tokens of users, by their names; `root` is the administrator. */
  tokens: Record<string, string>
  /**
   * One request to the REST API as the administrator; a path such as `/ticket/7`.
   * @throws Error unless the answer is 2xx
   */
  rest<T>(method: string, path: string, body?: unknown): Promise<T>
}

/** On a busy machine. */
const startMs = 100_000

/**
 * Starts the Request Tracker that `install.sh` installed: with settings and a database of its own, on a loopback
 * address of its own, so that it meets no other program and no other run.
 *
 * @param seed Perl that runs with RT loaded before it serves
 */
export async function startRequestTracker(seed: string): Promise<RequestTracker> {
  const started = new AsyncDisposableStack()
  try {
    return await start(started, seed)
  } catch (error) {
    await started.disposeAsync()
    throw error
  }
}

async function start(started: AsyncDisposableStack, seed: string): Promise<RequestTracker> {
  // Not os.tmpdir(): the web user may not reach that.
  const folder = await mkdtemp('/tmp/mortise-request-tracker-')
  started.defer(() => rm(folder, { recursive: true, force: true }))
  const { host, port } = await freeAddress()
  const env = await configure(folder, { host, port })
  const perl = (...args: string[]) =>
    run('env', [...Object.entries(env).map(([name, value]) => `${name}=${value}`), 'perl', ...args], {
      timeoutMs: startMs,
    })
  await perl('/usr/sbin/rt-setup-database-5', '--action', 'init', '--skip-create', '--dba', '', '--dba-password', '')
  const tokens = await fill(folder, seed, perl)

  const server = started.use(
    await startRestartable(async () => {
      const args = ['--server', 'Standalone', '--host', host, '--port', String(port)]
      const launched = await startServer('/usr/share/request-tracker5/libexec/rt-server', args, { env })
      await untilListening({ host, port }, launched, startMs)
      return launched
    }),
  )
  const url = `http://${host}:${port}`
  return {
    url,
    tokens,
    stop: server.stop,
    start: server.start,
    async rest(method, path, body) {
      const answer = await fetch(`${url}/REST/2.0${path}`, {
        method,
        headers: { authorization: `token ${tokens['root']}`, 'content-type': 'application/json' },
        signal: AbortSignal.timeout(20_000),
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await answer.text()
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
      return text === '' ? undefined : JSON.parse(text)
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

/** Writes the settings. @returns the variables with which RT's programs find them */
async function configure(
  folder: string,
  { host, port }: { host: string; port: number },
): Promise<Record<string, string>> {
  const settings = join(folder, 'RT_SiteConfig.pm')
  const more = join(folder, 'conf.d')
  await mkdir(more)
  await writeFile(
    settings,
    `Set($rtname, 'e2e');
Set($Organization, 'e2e');
Set($CorrespondAddress, 'rt@example.test');
Set($CommentAddress, 'rt@example.test');
Set($WebDomain, '${host}');
Set($WebPort, ${port});
Set($WebPath, '');
Set($DatabaseType, 'SQLite');
Set($DatabaseName, '${folder}/rt.db');
Set($DatabaseUser, '');
Set($DatabasePassword, '');
Set($LogToSyslog, undef);
Set($LogToSTDERR, 'error');
Set($Timezone, 'UTC');
1;
`,
  )
  for (const made of [folder, settings, more]) await chown(made, webUserId, webUserId)
  return { RT_SITE_CONFIG: settings, RT_SITE_CONFIG_DIR: more, HOME: folder }
}

/** Runs the seed, and makes a token for each person. */
async function fill(
  folder: string,
  seed: string,
  perl: (...args: string[]) => Promise<string>,
): Promise<Record<string, string>> {
  const program = join(folder, 'seed.pl')
  await writeFile(
    program,
    `use lib '/usr/share/request-tracker5/lib';
use RT -init;
use JSON;
${seed}
my %tokens;
my $people = RT::Users->new(RT->SystemUser);
$people->LimitToPrivileged;
while (my $user = $people->Next) {
  my $token = RT::AuthToken->new(RT::CurrentUser->new($user->Id));
  my ($made, $why, $text) = $token->Create(Owner => $user->Id, Description => 'e2e');
  die $why unless $made;
  $tokens{$user->Name} = $text;
}
print encode_json(\\%tokens);
`,
  )
  return JSON.parse(await perl(program))
}
