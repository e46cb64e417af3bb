import { marksOf, type OutlineOperation, type SpecOutline } from '../../domain/catalog/index.js';
import type { OperationMarks } from './operation-marks.js';

/** Operations per page of the list, which is for readers without scripts. */
const PER_PAGE = 200;

/**
 * A page of the operations, by tag, with the URLs of the previous and next one.
 * @param operationsPath below which each has a page of its own
 * @param marks what is said of each beside its address
 */
export function listOf({ operations }: SpecOutline, asked: number, operationsPath: string, marks: OperationMarks = {}) {
  const pages = Math.max(1, Math.ceil(operations.length / PER_PAGE));
  const page = Math.min(Math.max(1, Math.trunc(asked)), pages);
  return {
    groups: groupByTag(operations.slice((page - 1) * PER_PAGE, page * PER_PAGE)).map(
      ({ name, operations: members }) => ({
        name,
        operations: members.map((operation) => ({
          ...operation,
          address: operationsPath + operation.anchor,
          marks: marksOf(marks, operation.anchor),
        })),
      }),
    ),
    count: operations.length,
    paging: {
      ...{ page, pages, total: operations.length },
      previous: page > 1 ? `?page=${page - 1}` : null,
      next: page < pages ? `?page=${page + 1}` : null,
    },
  };
}

export function groupByTag(operations: readonly OutlineOperation[]) {
  const groups = new Map<string, OutlineOperation[]>();
  for (const operation of operations) {
    const group = groups.get(operation.tag);
    if (group) group.push(operation);
    else groups.set(operation.tag, [operation]);
  }
  return [...groups].map(([name, members]) => ({ name, operations: members }));
}
