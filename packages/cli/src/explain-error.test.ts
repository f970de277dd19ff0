import { MortiseProblem } from '@mortise/client'
import { expect, test } from 'vitest'
import { explainError } from './explain-error.ts'

test('a remedy that an issue says is not said twice', () => {
  const problem = (remedy: string) =>
    new MortiseProblem(
      {
        type: 'about:blank',
        title: 'Not acceptable',
        status: 422,
        detail: 'The content is not acceptable.',
        remedy,
        context: { code: 'unacceptable-input' },
        issues: [
          {
            type: 'about:blank',
            title: 'Invalid input',
            status: 422,
            in: 'body',
            name: 'cron',
            detail: 'It is no cron.',
            remedy: 'Use 5 fields.',
          },
        ],
      },
      422,
      'request-1',
    )
  const sentence = 'The content is not acceptable.\n- body cron: It is no cron. Use 5 fields.'
  expect(explainError(problem('Use 5 fields.'))).toMatchObject({ sentence })
  expect(explainError(problem('Use 5 fields.'))).not.toHaveProperty('nextStep')
  expect(explainError(problem('Read the page.'))).toMatchObject({ sentence, nextStep: 'Read the page.' })
})
