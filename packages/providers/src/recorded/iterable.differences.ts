import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  notRun: {
    'create-catalogs': 'Lists and requests identify a catalog by its name; the recording takes a number.',
    'create-templatespush-error': 'The message is within a page of HTML.',
    'create-webhooks-error': 'Iterable documents no creation of a webhook: the request changes one, by a number.',
  },
}
