import { useEffect, useRef, useState } from 'react'
import { type RawAnswer, type RawRequest, rawRequest } from '../../session/raw.ts'

export interface Sending {
  answer: RawAnswer | undefined
  error: unknown
  isSending: boolean
  send: (request: RawRequest, onAnswer: (answer: RawAnswer) => void) => Promise<void>
  stop: () => void
}

/** Sends one request at a time. What is under way ends with the page. */
export function useSend(): Sending {
  const [state, setState] = useState<{ answer?: RawAnswer; error?: unknown; isSending: boolean }>({ isSending: false })
  const current = useRef<AbortController>(undefined)
  useEffect(() => () => current.current?.abort(), [])
  return {
    answer: state.answer,
    error: state.error,
    isSending: state.isSending,
    stop: () => current.current?.abort(),
    async send(request, onAnswer) {
      current.current?.abort()
      const controller = new AbortController()
      current.current = controller
      setState({ isSending: true })
      try {
        const answer = await rawRequest(request, controller.signal)
        setState({ answer, isSending: false })
        onAnswer(answer)
      } catch (error) {
        setState({ error: controller.signal.aborted ? new Error('You stopped the request.') : error, isSending: false })
      }
    },
  }
}
