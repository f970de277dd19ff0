/**
 * What the stand-in cannot answer, and why: provider, object and case, or only the first of them. A test fails if an
 * entry is superfluous.
 */
export const exceptions: readonly { of: string; because: string }[] = [
  {
    of: 'box folders full',
    because: 'Every folder has a list, so that the stand-in would have no last one. See box.test.ts.',
  },
  ...['window', 'ids'].map((name) => ({ of: `box folders ${name}`, because: 'As box folders full.' })),
  ...['full', 'window', 'no list', 'ids'].map((name) => ({
    of: `gong dailyInteraction ${name}`,
    because: 'A page is one response with its records and the window, and the suite makes lists. See gong.test.ts.',
  })),
  { of: 'iterable templatesPush create success', because: 'The response has the id in a sentence.' },
  ...['full', 'empty', 'window', 'ids'].map((name) => ({
    of: `marketo activities ${name}`,
    because: 'The token of each type is one response, and the suite expects one type. See marketo.test.ts.',
  })),
  ...['full', 'window', 'ids'].map((name) => ({
    of: `okta identityEnginePolicies ${name}`,
    because: 'The org is one response, and the suite makes lists of parents. See okta.test.ts.',
  })),
  ...['users', 'usersByUserId'].map((name) => ({
    of: `iterable ${name} no list`,
    because: 'Each line of the response is a user, so that any line of JSON is one. See iterable.test.ts.',
  })),
  {
    of: 'mixpanel events',
    because:
      'Each request reads one day, and a window begins a day earlier: it has two parts. See response-format.test.ts.',
  },
]
