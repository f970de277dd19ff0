import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  notRun: {
    'read-contacts-has-next': 'The recorded page is one of version 1, which names the next page otherwise.',
    'read-tags-has-next': 'The recorded page has a URL where Keap documents a token.',
    'update-automationcategory': 'Keap documents PATCH.',
  },
}
