import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// Workers, and every service that a test starts, load what others have compiled already: half of the time that it takes
// to start one.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('node_modules/.cache/tests', import.meta.url))
// Every service of a test finds the catalogue compiled, once for all: the files of all providers take seconds to parse.
process.env['MORTISE_CACHE_DIR'] ??= fileURLToPath(new URL('node_modules/.cache/catalogue', import.meta.url))

/**
 * Tests run from the TypeScript sources, as the service does: the `mortise-source` export condition, no build. The
 * condition `import` stays out: it would reach every require() too, and CommonJS packages (pg) then load the wrong half
 * of others.
 */
const shared = {
  resolve: { conditions: ['mortise-source'] },
  ssr: { resolve: { conditions: ['mortise-source', 'node', 'default'] } },
}
const common = {
  // Of use only to what hangs: many times what anything takes here, so that a busy machine fails nothing.
  testTimeout: 90_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 30_000 } },
  exclude: ['**/node_modules/**', '**/dist/**'],
  // Files that follow each other in a worker share the modules that it has loaded: loading them anew was half of the
  // work.
  isolate: false,
  setupFiles: [fileURLToPath(new URL('e2e/set-up-worker.testkit.ts', import.meta.url))],
}

/**
 * What takes long: longer forms of what other tests show in short, all files of the catalogue, hostile documents of the largest size, kills, faults, backups, attacks,
 * pages in a browser, whole installations and the first start of the embedded database. They run with
 * `npm run test:long`, and not with `npm test`.
 */
export const long = [
  'e2e/attacks/[sw]*.test.ts',
  'e2e/destinations/{console-forms,killed-process}.test.ts',
  'e2e/{backup,bundle,cli-backup,cli-dev,demo-browser,deploy-backup,demo,faults,full-disk,image,kill,kill-events,kill-tables-mysql,kill-tables-postgres,kill-writes,pooler,processes,readme,rolling-upgrade,silent-database,start,stock-postgres}.test.ts',
  'e2e/{cli-live,cli-mcp,cli-mcp-limits,destinations/outages,tools-doc}.test.ts',
  'e2e/{all-providers,cli-package,client-package,connect-package,embedded-pages}.test.ts',
  'e2e/{connect-journeys,console-journeys}/*.test.ts',
  'packages/cli/src/commands/provider-stand-in.test.ts',
  'packages/cli/src/provider-learning/hostile-size.test.ts',
  'packages/connect/src/{connect,install,languages,manage,screen-reader}.test.ts',
  'e2e/{mailman/mailman,mediawiki/mediawiki,redmine/redmine,request-tracker/request-tracker,wordpress/wordpress}.test.ts',
  'packages/providers/src/catalogue/{built-in-files,catalogue-cache}.test.ts',
  'packages/providers/src/conformance/objects.test.ts',
  'packages/server/src/{work-tables,keys/rotate}.test.ts',
  'packages/server/src/features/accounts/connections/handles/processes.test.ts',
  'packages/server/src/features/**/*in-chromium.test.ts',
  'packages/server/src/features/messaging/delivery/{crash,replay}.test.ts',
  'packages/server/src/features/messaging/kinds/{delivery-of-kinds,kafka/kafka-records-failures,tables/removals}.test.ts',
  'packages/server/src/features/messaging/kinds/{azureblob/blob-sender,gcs/upload,s3/multipart-upload}.test.ts',
  'packages/server/src/features/messaging/kinds/warehouse-tables/{groups,removals}.test.ts',
  'packages/server/src/features/provider-calls/proxying/steady.test.ts',
  'packages/server/src/features/sync/{reading/rated,writing/write-by-job}.test.ts',
  'packages/server/src/kernel/{net/names/name-resolver,rate-limits/shared-limits}.test.ts',
  'packages/server/src/kernel/db/{pooler,silence-watch}.test.ts',
  'packages/server/src/kernel/work/crash.test.ts',
  'packages/server/src/kernel/db/embedded/{binaries,keep-embedded,start-embedded}.test.ts',
  'scripts/launch.test.ts',
]

/** Long tests that have run already, as folders and files: `.ci/run` runs some of them first. */
const done = (process.env['MORTISE_TESTS_DONE'] ?? '').split(' ').filter((path) => path !== '')

/** What takes longest of each, the longest first: none of these may be left to run alone when all else is done. */
const longest = [
  'e2e/kill-tables-mysql',
  'e2e/faults',
  'e2e/kill-tables-postgres',
  'e2e/redmine/redmine',
  'e2e/request-tracker/request-tracker',
  'e2e/start',
  'e2e/wordpress/wordpress',
  'e2e/mediawiki/mediawiki',
  'e2e/backup',
  'e2e/cli-backup',
  'e2e/attacks/s02-access-matrix',
  'e2e/attacks/s01-hostile-inputs',
  'e2e/demo',
  'live/processes',
  'reading/rated',
  'e2e/kill-writes',
  'e2e/attacks/s13-key-rotation',
  'e2e/kill-events',
  'e2e/deploy-backup',
  'e2e/kill',
  'e2e/attacks/w02-slow-names',
  'e2e/attacks/s10-redos',
  'conformance/objects',
  'destinations/console-forms',
  'catalogue/catalogue-cache',
  'embedded/start-embedded',
  'e2e/readme',
  'e2e/cli-dev',
  'warehouse-tables/removals',
  'warehouse-tables/groups',
  'kinds/conformance',
  'subscribing/streams/streams',
  'calls/provider-failures',
  'destinations/secrets',
  'e2e/cli-destination-types',
  'sync/writing/write-by-job',
  'providers/src/conformance/conformance',
  'writing/asynchronous',
  'deletion-checks/deletion-checks',
  'warehouse-tables/warehouse-tables',
  'kinds/delivery-of-kinds',
  'names/name-resolver',
  'catalogue/load-catalogue',
  'e2e/all-providers',
  'kernel/db/silence-watch',
  'embedded/binaries',
  'delivery/replay',
  'sign-in/throttle',
  'limits/shared-limits',
  'reading/odd-answers',
  'e2e/contract',
  'e2e/events',
  'e2e/cli-mcp-limits',
  'e2e/cli-mcp',
  'e2e/unusable-address',
  'e2e/tools-doc',
  'sync/subscribing/subscribing',
  'sync/reading/reading',
  'e2e/cli-live',
  'e2e/cli-write',
  'e2e/connect-package',
  'e2e/client-package',
  'e2e/cli-package',
].map((name) => `/${name}.test.ts`)

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const at = longest.findIndex((name) => moduleId.endsWith(name))
      return at < 0 ? longest.length : at
    }
    return (await super.sort(files)).toSorted((one, other) => place(one) - place(other))
  }
}

export default defineConfig({
  test: {
    globalSetup: ['e2e/compile-catalogue.testkit.ts'],
    // Twice what two cores have: the longest tests wait for processes that they have killed, and for the clock.
    maxWorkers: 4,
    // A sequencer that is set here would win over the order that is asked for on the command line.
    sequence: process.argv.some((argument) => argument.startsWith('--sequence.')) ? {} : { sequencer: LongestFirst },
    projects: [
      {
        ...shared,
        test: {
          ...common,
          name: 'parts',
          include: [
            'packages/manifest/**/*.test.ts',
            'packages/providers/**/*.test.ts',
            'packages/client/**/*.test.ts',
            'packages/connect/**/*.test.ts',
            'packages/console/**/*.test.{ts,tsx}',
            'packages/cli/**/*.test.ts',
            'packages/server/src/kernel/*.test.ts',
            'packages/server/src/kernel/{net,encryption,http,processes,telemetry}/**/*.test.ts',
            'packages/server/src/kernel/db/embedded/**/*.test.ts',
            'bench/**/*.test.ts',
            'examples/**/*.test.ts',
            'scripts/**/*.test.ts',
          ],
          exclude: [...common.exclude, ...long],
        },
      },
      {
        ...shared,
        test: {
          ...common,
          name: 'service',
          globalSetup: ['packages/server/src/testkit/global-setup.ts'],
          include: [
            'packages/server/src/*.test.ts',
            'packages/server/src/{keys,testkit,kernel/{db,jobs,pubsub,rate-limits,work}}/*.test.ts',
            'packages/server/src/features/**/*.test.ts',
            'e2e/**/*.test.ts',
          ],
          exclude: [...common.exclude, ...long],
        },
      },
      {
        ...shared,
        test: {
          ...common,
          name: 'long',
          globalSetup: ['packages/server/src/testkit/global-setup.ts'],
          include: long,
          exclude: [...common.exclude, ...done.map((path) => (path.endsWith('/') ? `${path}**` : path))],
        },
      },
    ],
  },
})
