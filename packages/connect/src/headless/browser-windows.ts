import type { OpenedWindow, Windows } from './windows.ts'

/** Windows of the browser that shows the page. */
export function browserWindows(): Windows {
  return {
    open: (title) => {
      const opened = openCentered()
      return opened && openedWindow(opened, title)
    },
    leave: (url) => location.assign(url),
    address: () => location.href,
    wait: (ms, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve()
        const done = () => {
          clearTimeout(timer)
          resolve()
        }
        const timer = setTimeout(() => {
          signal.removeEventListener('abort', done)
          resolve()
        }, ms)
        signal.addEventListener('abort', done, { once: true })
      }),
  }
}

function openCentered(): Window | undefined {
  const width = 600
  const height = 720
  const left = Math.max(0, Math.round(screenX + (outerWidth - width) / 2))
  const top = Math.max(0, Math.round(screenY + (outerHeight - height) / 2))
  return (
    window.open('about:blank', '_blank', `popup,width=${width},height=${height},left=${left},top=${top}`) ?? undefined
  )
}

function openedWindow(opened: Window, title: string): OpenedWindow {
  try {
    opened.document.title = title
    opened.document.body.textContent = title
  } catch {
    // A browser that isolates the empty window shows it without text.
  }
  return {
    navigate: (url) => {
      opened.location.href = url
    },
    isClosed: () => opened.closed,
    close: () => opened.close(),
    onMessage: (origin, listener) => {
      const onMessage = (event: MessageEvent) => {
        if (event.origin === origin && event.source === opened) listener(event.data)
      }
      addEventListener('message', onMessage)
      return () => removeEventListener('message', onMessage)
    },
  }
}
