"""The calls in DUMPI traces, in the order of their numbers, with the layout of their arguments.

The format is that of SST's DUMPI library (https://github.com/sstsimulator/sst-dumpi, version 1.1). Codes of
arguments, all big-endian: b, h, i, q: integers of 1, 2, 4 and 8 bytes; B, H, I: arrays of these, after their
length; J: an array of I; S: characters after their length; A: an array of S; s: statuses. What stands
between ? and ; is there only on the rank that is the root: the first argument equals the one before the last.
!: not supported.
"""

CALLS = """
send:ihiih recv:ihiihs get_count:shi bsend:ihiih ssend:ihiih rsend:ihiih buffer_attach:i buffer_detach:i
isend:ihiihi ibsend:ihiihi issend:ihiihi irsend:ihiihi irecv:ihiihi wait:is test:iis request_free:i
waitany:iIis testany:iIiis waitall:iIs testall:iIis waitsome:iIiIs testsome:iIiIs iprobe:iihis probe:iihs
cancel:i test_cancelled:si send_init:ihiihi bsend_init:ihiihi ssend_init:ihiihi rsend_init:ihiihi
recv_init:ihiihi start:i startall:iI sendrecv:ihiiihiihs sendrecv_replace:ihiiiihs type_contiguous:ihh
type_vector:iiihh type_hvector:iiihh type_indexed:iIIhh type_hindexed:iIIhh type_struct:iIIHh address:i
type_extent:hi type_size:hi type_lb:hi type_ub:hi type_commit:h type_free:h get_elements:shi pack:ihiiih
unpack:iiiihh pack_size:ihhi barrier:h bcast:ihih gather:iihih?ih gatherv:iiihih?II;h scatter:iihih?ih
scatterv:iihihih?II allgather:ihihh allgatherv:iihIIhh alltoall:ihihh alltoallv:iIIhIIhh reduce:ihbih
op_create:ib op_free:b allreduce:ihbh reduce_scatter:iIhbh scan:ihbh group_size:hi group_rank:hi
group_translate_ranks:hiIhI group_compare:hhb comm_group:hh group_union:hhh group_intersection:hhh
group_difference:hhh group_incl:hiIh group_excl:hiIh group_range_incl:hiJh group_range_excl:hiJh
group_free:h comm_size:hi comm_rank:hi comm_compare:hhb comm_dup:hh comm_create:hhh comm_split:hiih
comm_free:h comm_test_inter:hi comm_remote_size:hi comm_remote_group:hh intercomm_create:hihiih
intercomm_merge:hih keyval_create:h keyval_free:h attr_put:hi attr_get:hii attr_delete:hi topo_test:hb
cart_create:hiIIih dims_create:iiII graph_create:ihiIIih graphdims_get:hii graph_get:iihiiII
cartdim_get:hi cart_get:ihiIII cart_rank:ihIi cart_coords:ihiiI graph_neighbors_count:hii
graph_neighbors:ihiiI cart_shift:hiiii cart_sub:ihIh cart_map:hiIIi graph_map:ihiIIi
get_processor_name:Si get_version:ii errhandler_create:h errhandler_set:hh errhandler_get:hh
errhandler_free:h error_string:iSi error_class:ii wtime: wtick: init:A finalize: initialized:i abort:hi
pcontrol:i close_port:S comm_accept:Shihh comm_connect:Shihh comm_disconnect:h comm_get_parent:h
comm_join:ih comm_spawn:! comm_spawn_multiple:! lookup_name:ShS open_port:hS publish_name:ShS
unpublish_name:ShS accumulate:ihiiihbh get:ihiiihh put:ihiiihh win_complete:h win_create:iihhh
win_fence:bh win_free:h win_get_group:hh win_lock:bibh win_post:hbh win_start:hbh win_test:hi
win_unlock:ih win_wait:h alltoallw:iIIHIIHh exscan:ihbh add_error_class:i add_error_code:ii
add_error_string:iS comm_call_errhandler:hi comm_create_keyval:h comm_delete_attr:hh comm_free_keyval:h
comm_get_attr:hhi comm_get_name:hSi comm_set_attr:hh comm_set_name:hS file_call_errhandler:hi
grequest_complete:i grequest_start:i init_thread:Abb is_thread_main:i query_thread:b
status_set_cancelled:si status_set_elements:shi type_create_keyval:h type_delete_attr:hh type_dup:hh
type_free_keyval:h type_get_attr:hhi type_get_contents:iiihiiiIIH type_get_envelope:hiiib
type_get_name:hSi type_set_attr:hh type_set_name:hS type_match_size:bih win_call_errhandler:hi
win_create_keyval:h win_delete_attr:hh win_free_keyval:h win_get_attr:hhi win_get_name:hSi
win_set_attr:hh win_set_name:hS alloc_mem:ih comm_create_errhandler:h comm_get_errhandler:hh
comm_set_errhandler:hh file_create_errhandler:h file_get_errhandler:hh file_set_errhandler:hh finalized:i
free_mem: get_address:i info_create:h info_delete:hS info_dup:hh info_free:h info_get:hSiSi
info_get_nkeys:hi info_get_nthkey:hiS info_get_valuelen:hSii info_set:hSS pack_external:Sihiii
pack_external_size:Sihi request_get_status:iis type_create_darray:iiiIBIIbhh type_create_hindexed:iIIhh
type_create_hvector:iiihh type_create_indexed_block:iiIhh type_create_resized:hiih
type_create_struct:iIIHh type_create_subarray:iIIIbhh type_get_extent:hii type_get_true_extent:hii
unpack_external:Siiiih win_create_errhandler:h win_get_errhandler:hh win_set_errhandler:hh
file_open:hSbhh file_close:h file_delete:Sh file_set_size:hq file_preallocate:hq file_get_size:hq
file_get_group:hh file_get_amode:hb file_set_info:hh file_get_info:hh file_set_view:hqhhSh
file_get_view:hqhhS file_read_at:hqihs file_read_at_all:hqihs file_write_at:hqihs file_write_at_all:hqihs
file_iread_at:hqihi file_iwrite_at:hqihi file_read:hihs file_read_all:hihs file_write:hihs
file_write_all:hihs file_iread:hihi file_iwrite:hihi file_seek:hqb file_get_position:hq
file_get_byte_offset:hqq file_read_shared:hihs file_write_shared:hihs file_iread_shared:hihi
file_iwrite_shared:hihi file_read_ordered:hihs file_write_ordered:hihs file_seek_shared:hqb
file_get_position_shared:hq file_read_at_all_begin:hqih file_read_at_all_end:hs
file_write_at_all_begin:hqih file_write_at_all_end:hs file_read_all_begin:hih file_read_all_end:hs
file_write_all_begin:hih file_write_all_end:hs file_read_ordered_begin:hih file_read_ordered_end:hs
file_write_ordered_begin:hih file_write_ordered_end:hs file_get_type_extent:hhi register_datarep:S
file_set_atomicity:hi file_get_atomicity:hi file_sync:h io_test:iis io_wait:is io_testall:iIis
io_waitall:iIs io_testany:iIiis io_waitany:iIis io_waitsome:iIiIs io_testsome:iIiIs all_functions:!
function_enter:q function_exit:q end_of_stream:!
"""
