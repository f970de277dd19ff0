import { type ReactNode, type RefObject, useEffect, useRef } from 'react'

/**
 * Marks an element that scrolls sideways while something is hidden at its left (`data-before`) or right (`data-after`):
 * the style draws a shadow there. Scroll bars of phones are not seen until one scrolls.
 */
export function useScrollMarks(ref: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = ref.current
    if (!element) return
    const mark = () => {
      const hidden = element.scrollWidth - element.clientWidth
      element.toggleAttribute('data-before', element.scrollLeft > 1)
      element.toggleAttribute('data-after', element.scrollLeft < hidden - 1)
    }
    const sizes = new ResizeObserver(mark)
    sizes.observe(element)
    for (const child of element.children) sizes.observe(child)
    element.addEventListener('scroll', mark, { passive: true })
    return () => {
      sizes.disconnect()
      element.removeEventListener('scroll', mark)
    }
  }, [ref])
}

/** A table that scrolls sideways where there is little room. */
export function Scrolls({ children }: { children: ReactNode }) {
  const scroller = useRef<HTMLDivElement>(null)
  useScrollMarks(scroller)
  return (
    <div className="scrolls-frame">
      <div ref={scroller} className="scrolls">
        {children}
      </div>
    </div>
  )
}
