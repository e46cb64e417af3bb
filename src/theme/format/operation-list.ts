import type { OutlineOperation, SpecOutline } from '../../domain/catalog/index.js';

/** Operations per page of the list, which is for readers without scripts. */
const PER_PAGE = 200;

/** A page of the operations, by tag, with the URLs of the previous and next one. */
export function listOf({ operations }: SpecOutline, asked: number) {
  const pages = Math.max(1, Math.ceil(operations.length / PER_PAGE));
  const page = Math.min(Math.max(1, Math.trunc(asked)), pages);
  const groups = new Map<string, OutlineOperation[]>();
  for (const operation of operations.slice((page - 1) * PER_PAGE, page * PER_PAGE)) {
    const group = groups.get(operation.tag);
    if (group) group.push(operation);
    else groups.set(operation.tag, [operation]);
  }
  return {
    groups: [...groups].map(([name, members]) => ({ name, operations: members })),
    count: operations.length,
    paging: {
      ...{ page, pages, total: operations.length },
      previous: page > 1 ? `?page=${page - 1}` : null,
      next: page < pages ? `?page=${page + 1}` : null,
    },
  };
}
