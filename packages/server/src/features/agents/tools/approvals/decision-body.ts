import { Type } from 'typebox'

export const decisionBody = Type.Object(
  {
    comment: Type.Optional(
      Type.String({ minLength: 1, maxLength: 1_000, description: 'Why. The agent of a refused call gets it.' }),
    ),
  },
  { description: 'A comment for the agent.' },
)
